// The output of a scripted program: bounded, ordered, for exactly one reader. A writer waits until its bytes fit.
import type { OutputChunk } from "../../contracts/boundary.ts";

export class OutputQueue implements AsyncIterable<OutputChunk> {
  readonly #capacityBytes: number;
  readonly #chunks: OutputChunk[] = [];
  #heldBytes = 0;
  #isEnded = false;
  #isTaken = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriters: (() => void)[] = [];

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
  }

  /** Resolves when the bytes are accepted; bytes after the end are dropped, as a closed pipe drops them. */
  async push(chunk: OutputChunk): Promise<void> {
    while (!this.#isEnded && this.#heldBytes > 0 && this.#heldBytes + chunk.bytes.length > this.#capacityBytes) {
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve));
    }
    if (this.#isEnded) return;
    this.#chunks.push(chunk);
    this.#heldBytes += chunk.bytes.length;
    this.#wakeReader?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wakeReader?.();
    this.#releaseWriters();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OutputChunk> {
    if (this.#isTaken) throw new TypeError("Cannot read the output twice: it has exactly one reader");
    this.#isTaken = true;
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#heldBytes -= chunk.bytes.length;
        this.#releaseWriters();
        yield chunk;
      } else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
  }

  #releaseWriters(): void {
    const waiting = this.#wakeWriters;
    this.#wakeWriters = [];
    for (const wake of waiting) wake();
  }
}
