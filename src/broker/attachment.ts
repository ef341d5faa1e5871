// Somebody who took over a detached command: they get what was kept of its output, then what comes, until they leave or somebody else takes it.
import type { OutputChunk } from "../contracts/boundary.ts";
import type { RunIo } from "../contracts/door.ts";
import { Happening } from "../kit/happening.ts";

export class Attachment {
  readonly caller: RunIo;
  readonly #caughtUp: Promise<void>;
  readonly #over = Promise.withResolvers<"left" | "taken">();
  readonly #released = new Happening();
  #isReleased = false;

  /** @param kept what they get first */
  constructor(caller: RunIo, kept: readonly OutputChunk[]) {
    this.caller = caller;
    if (caller.signal.aborted) this.leave();
    else caller.signal.addEventListener("abort", this.leave, { once: true });
    this.#caughtUp = this.#catchUp(kept);
    this.#caughtUp.catch(() => {}); // told to whoever hands on more, or waits for it
  }

  async #catchUp(kept: readonly OutputChunk[]): Promise<void> {
    for (const chunk of kept) if (!this.#isReleased) await this.caller.onOutput(chunk);
  }

  async #pass(chunk: OutputChunk): Promise<void> {
    await this.#caughtUp;
    if (!this.#isReleased) await this.caller.onOutput(chunk);
  }

  /** Resolves when they have it, or when nobody waits for them any more. */
  handOn(chunk: OutputChunk): Promise<void> {
    return this.#released.orDone(this.#pass(chunk));
  }

  /** Resolves when they have what was kept. */
  get caughtUp(): Promise<void> {
    return this.#released.orDone(this.#caughtUp);
  }

  /** Resolves when they have left, or when somebody else took the command. */
  get over(): Promise<"left" | "taken"> {
    return this.#over.promise;
  }

  readonly leave = (): void => this.#end("left");

  /** Somebody else has it now. */
  take(): void {
    this.#end("taken");
  }

  /** Whoever does not read holds nothing up from now on. */
  release(): void {
    this.#isReleased = true;
    this.#released.happen();
  }

  #end(how: "left" | "taken"): void {
    this.caller.signal.removeEventListener("abort", this.leave);
    this.#over.resolve(how);
    this.release();
  }
}
