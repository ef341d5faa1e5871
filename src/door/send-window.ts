// Bytes that one side may still send on one channel: the other gives credit back for what it has taken.
import { sizes } from "./protocol.ts";
import { violation } from "./violation.ts";

export class SendWindow {
  #credit: number = sizes.credit;
  #isClosed = false;
  #wake: (() => void) | undefined;

  /** @throws BROKER_PROTOCOL for more than was ever used */
  add(bytes: number): void {
    if (this.#credit + bytes > sizes.credit) throw violation("credit");
    this.#credit += bytes;
    this.#wake?.();
  }

  /** Hands all of it to `put` in order, as far and as fast as there is credit; what is left when the window closes goes nowhere. One caller at a time. */
  async send(bytes: Uint8Array, put: (part: Uint8Array) => void): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#isClosed;) {
      const part = bytes.subarray(at, at + Math.min(this.#credit, sizes.dataMax));
      if (part.length > 0) put(part);
      this.#credit -= part.length;
      at += part.length;
      if (part.length === 0) await this.#waitForCredit();
    }
  }

  async #waitForCredit(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
  }

  /** Nobody takes any more. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }
}
