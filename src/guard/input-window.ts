// The input of one command: bytes go out in order, as far as the guard has given credit.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { violation } from "./frame-decoder.ts";
import { sizes } from "./protocol.ts";

function commandGone(): GloveboxError {
  return new GloveboxError("SANDBOX_CLOSED", "guard.command-gone");
}

export class InputWindow {
  readonly #send: (bytes: Uint8Array) => void;
  readonly #sendEnd: () => void;
  #credit: number = sizes.credit;
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;
  #isEnding: boolean;
  #wake: (() => void) | undefined;

  /** @param hasEnded nothing will come, and the guard was told so already */
  constructor(send: (bytes: Uint8Array) => void, sendEnd: () => void, hasEnded = false) {
    this.#send = send;
    this.#sendEnd = sendEnd;
    this.#isEnding = hasEnded;
  }

  /** @throws GUARD_PROTOCOL for more credit than was ever used */
  addCredit(bytes: number): void {
    if (this.#credit + bytes > sizes.credit) throw violation("input-window");
    this.#credit += bytes;
    this.#wake?.();
  }

  /** Resolves when every byte is on its way; rejects with SANDBOX_CLOSED when the command is gone, or its input ended. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed || this.#isEnding) throw commandGone();
    const previous = this.#last;
    const own = Promise.withResolvers<void>();
    this.#last = own.promise;
    try {
      await previous;
      await this.#sendAll(bytes);
    } finally {
      own.resolve();
    }
  }

  async #sendAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      while (this.#credit === 0 && !this.#isClosed) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
      if (this.#isClosed) throw commandGone();
      const part = bytes.subarray(at, at + Math.min(this.#credit, sizes.dataMax));
      this.#credit -= part.length;
      at += part.length;
      this.#send(part);
    }
    if (this.#isClosed) throw commandGone();
  }

  /** After what was written before. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    void this.#last.then(() => {
      if (!this.#isClosed) this.#sendEnd();
    });
  }

  /** Nothing takes input any more. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }
}
