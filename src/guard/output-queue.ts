// The output of one command on its way to its reader. Credit goes back to the guard only for what the reader has taken, so a reader
// that stalls holds the command and nothing grows.
import type { OutputChunk } from "../contracts/boundary.ts";
import { WaitingBytes } from "../kit/waiting-bytes.ts";
import { violation } from "./frame-decoder.ts";
import { sizes } from "./protocol.ts";

/** Credit is returned in portions: three quarters of the window stay usable meanwhile. */
const creditPortion = sizes.credit / 4;

export class OutputQueue implements AsyncIterable<OutputChunk> {
  readonly #waiting = new WaitingBytes<OutputChunk["channel"]>();
  readonly #returnCredit: (channel: "stdout" | "stderr", bytes: number) => void;
  /** Bytes that the guard may still send. */
  readonly #window = { stdout: sizes.credit, stderr: sizes.credit };
  readonly #taken = { stdout: 0, stderr: 0 };
  #hasEnded = false;
  #isRead = false;
  #isDiscarding = false;
  #wake: (() => void) | undefined;

  constructor(returnCredit: (channel: "stdout" | "stderr", bytes: number) => void) {
    this.#returnCredit = returnCredit;
  }

  /** @throws GUARD_PROTOCOL when the guard sends more than it was allowed */
  push(chunk: OutputChunk): void {
    if (this.#hasEnded) throw violation("output-after-end");
    if (chunk.bytes.length > this.#window[chunk.channel]) throw violation("output-window");
    this.#window[chunk.channel] -= chunk.bytes.length;
    if (this.#isDiscarding) this.#take(chunk);
    else this.#waiting.push(chunk.channel, chunk.bytes);
    this.#wake?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  #take(chunk: OutputChunk): void {
    const { channel } = chunk;
    this.#taken[channel] += chunk.bytes.length;
    if (this.#hasEnded || this.#taken[channel] < creditPortion) return;
    this.#window[channel] += this.#taken[channel];
    this.#returnCredit(channel, this.#taken[channel]);
    this.#taken[channel] = 0;
  }

  async #next(): Promise<IteratorResult<OutputChunk, undefined>> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk !== undefined) {
        this.#take(chunk);
        return { done: false, value: chunk };
      }
      if (this.#hasEnded) return { done: true, value: undefined };
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
  }

  /** A reader that leaves early lets the rest go, so that the command can end. */
  #discard(): void {
    this.#isDiscarding = true;
    for (let chunk = this.#waiting.shift(); chunk !== undefined; chunk = this.#waiting.shift()) this.#take(chunk);
  }

  /** @throws TypeError for a second reader */
  [Symbol.asyncIterator](): AsyncIterator<OutputChunk, undefined> {
    if (this.#isRead) throw new TypeError("Cannot read the output twice: it has one reader");
    this.#isRead = true;
    return {
      next: async () => this.#next(),
      return: async () => {
        this.#discard();
        return { done: true, value: undefined };
      },
    };
  }
}
