// When a process boundary has a resident launcher: from its second sandbox on, so that a call which opens one starts nobody else.
import { ResidentLauncher } from "./resident-launcher.ts";

export class Residence {
  readonly #launcherPath: string;
  #resident: ResidentLauncher | undefined;
  #hasOpened = false;

  constructor(launcherPath: string) {
    this.#launcherPath = launcherPath;
  }

  /** Undefined for the first sandbox. One that has ended is followed by another. */
  find(): ResidentLauncher | undefined {
    if (!this.#hasOpened) {
      this.#hasOpened = true;
      return undefined;
    }
    if (this.#resident === undefined || this.#resident.hasEnded) this.#resident = new ResidentLauncher(this.#launcherPath);
    return this.#resident;
  }
}
