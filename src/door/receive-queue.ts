// Bytes of one channel on their way to their one reader; credit goes back only for what it has taken, so nothing grows.
import { sizes } from "./protocol.ts";
import { violation } from "./violation.ts";

/** Credit is returned in portions: three quarters of the window stay usable meanwhile. */
const creditPortion = sizes.credit / 4;

export class ReceiveQueue implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
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
    this.#chunks.push(Uint8Array.from(bytes));
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
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
        this.#take(chunk);
      } else if (this.#isEnded) return;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }
}
