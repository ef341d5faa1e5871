// One append-only file of ours, held open, which notices when its name leads to another file and cuts failed writes back.
import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import type { DurableFiles } from "./durable-files.ts";
import { inconsistent, unwritable } from "./ledger-errors.ts";

export class TrackedFile {
  readonly path: string;
  readonly #files: DurableFiles;
  readonly #descriptor: number;
  readonly #identity: string;
  #syncs = 0;
  #closing = false;

  constructor(files: DurableFiles, path: string) {
    this.path = path;
    this.#files = files;
    this.#descriptor = files.openLog(path);
    const { dev, ino } = fstatSync(this.#descriptor, { bigint: true });
    this.#identity = `${dev}:${ino}`;
  }

  /** Bytes on disk. @throws LEDGER_INCONSISTENT when the file was removed or replaced */
  size(): number {
    const found = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined || `${found.dev}:${found.ino}` !== this.#identity) throw inconsistent("ledger.replaced", { path: this.path });
    return Number(found.size);
  }

  /** Up to `length` bytes from `start`. */
  read(start: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(this.#descriptor, buffer, filled, length - filled, start + filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  }

  /** Appends at `end`, where the file must end now; of a failed append nothing stays, or a torn tail that recovery cuts. @throws LEDGER_UNWRITABLE */
  append(bytes: Buffer, end: number): void {
    try {
      this.#files.append(this.#descriptor, bytes);
    } catch (error) {
      try {
        this.#files.truncate(this.#descriptor, end);
      } catch (second) {
        throw unwritable(new AggregateError([error, second], "write and cut failed"), this.path);
      }
      throw unwritable(error, this.path);
    }
  }

  truncate(size: number): void {
    this.#files.truncate(this.#descriptor, size);
  }

  /** Resolves when everything written before the call is on the device. */
  async sync(): Promise<void> {
    this.#syncs += 1;
    try {
      await this.#files.sync(this.#descriptor);
    } finally {
      this.#syncs -= 1;
      if (this.#closing && this.#syncs === 0) closeSync(this.#descriptor);
    }
  }

  /** Idempotent; waits for syncs under way before the descriptor goes. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    if (this.#syncs === 0) closeSync(this.#descriptor);
  }
}
