// Bytes of one channel on their way to their one reader; credit goes back only for what it has taken, so nothing grows.
import { WaitingBytes } from "../kit/waiting-bytes.ts";
import { sizes } from "./protocol.ts";
import { violation } from "./violation.ts";

/** Credit is returned in portions: three quarters of the window stay usable meanwhile. */
const creditPortion = sizes.credit / 4;

export class ReceiveQueue implements AsyncIterable<Uint8Array> {
  readonly #waiting = new WaitingBytes<"bytes">();
  readonly #returnCredit: (bytes: number) => void;
  #window: number = sizes.credit;
  #taken = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(returnCredit: (bytes: number) => void) {
    this.#returnCredit = returnCredit;
  }

  /** @throws BROKER_PROTOCOL when more comes than was allowed */
  push(bytes: Uint8Array): void {
    if (bytes.length > this.#window) throw violation("window");
    this.#window -= bytes.length;
    if (this.#isEnded) return; // late: nobody reads
    this.#waiting.push("bytes", Uint8Array.from(bytes));
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  #take(bytes: Uint8Array): void {
    this.#taken += bytes.length;
    if (this.#taken < creditPortion) return;
    this.#window += this.#taken;
    this.#returnCredit(this.#taken);
    this.#taken = 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next.bytes;
        this.#take(next.bytes);
      } else if (this.#isEnded) return;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }
}
