// Things on their way from a giver to one taker, who holds the giver back.

export class HandOver<Item> implements AsyncIterable<Item> {
  readonly #waiting: { readonly item: Item; readonly taken: () => void }[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  /** Resolves when the taker has it, or wants no more. */
  push(item: Item): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ item, taken: resolve });
    this.#wake?.();
    return promise;
  }

  /** Nothing more comes; what waits is still handed over. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** Nobody takes any more: what waits is dropped. */
  close(): void {
    this.end();
    for (const { taken } of this.#waiting.splice(0)) taken();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          next.taken();
          yield next.item;
        } else if (this.#isEnded) return;
        else {
          const { promise, resolve } = Promise.withResolvers<void>();
          this.#wake = resolve;
          await promise;
        }
      }
    } finally {
      this.close();
    }
  }
}
