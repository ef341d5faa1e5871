// For tests: durable files whose n-th change fails as on a full disk, having done half of it.
import type { DurableFiles } from "../ledger.ts";
import { unsyncedFiles as real } from "./ledger-fixture.ts";

function fullDisk(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
}

export class FailingFiles implements DurableFiles {
  /** Changes asked for so far. */
  count = 0;
  readonly #at: number;
  readonly #forever: boolean;

  /** @param at the first change that fails, from 1; @param forever whether all later ones fail too */
  constructor(at: number, forever: boolean) {
    this.#at = at;
    this.#forever = forever;
  }

  #due(): boolean {
    this.count += 1;
    return this.#forever ? this.count >= this.#at : this.count === this.#at;
  }

  #check(): void {
    if (this.#due()) throw fullDisk();
  }

  #half(bytes: Uint8Array, write: (part: Uint8Array) => void): void {
    const fails = this.#due();
    write(fails ? bytes.subarray(0, bytes.length / 2) : bytes);
    if (fails) throw fullDisk();
  }

  makeDirectory(directory: string): void {
    this.#check();
    real.makeDirectory(directory);
  }

  create(file: string, bytes: Uint8Array): void {
    this.#half(bytes, (part) => {
      real.create(file, part);
    });
  }

  openLog(file: string): number {
    this.#check();
    return real.openLog(file);
  }

  append(descriptor: number, bytes: Uint8Array): void {
    this.#half(bytes, (part) => {
      real.append(descriptor, part);
    });
  }

  truncate(descriptor: number, size: number): void {
    this.#check();
    real.truncate(descriptor, size);
  }

  rename(from: string, to: string): void {
    this.#check();
    real.rename(from, to);
  }

  link(from: string, to: string): void {
    this.#check();
    real.link(from, to);
  }

  unlink(file: string): void {
    this.#check();
    real.unlink(file);
  }

  async sync(descriptor: number): Promise<void> {
    this.#check();
    await real.sync(descriptor);
  }

  async syncPath(file: string): Promise<void> {
    this.#check();
    await real.syncPath(file);
  }
}
