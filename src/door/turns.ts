// How many may be under way at once; further ones wait for their turn, in order.

export class Turns {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** @throws the reason of the signal, when that is aborted before the turn comes, and what `work` throws */
  async take<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(signal?: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const mine = (): void => resolve(true);
    const giveUp = (): void => resolve(false);
    this.#waiting.add(mine);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted === true) giveUp();
    const isMine = await promise;
    signal?.removeEventListener("abort", giveUp);
    if (isMine) return;
    this.#waiting.delete(mine);
    signal?.throwIfAborted();
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
