// Something that happens once, and for which many wait in vain.

/** A promise would keep whoever raced against it for as long as it lives itself; this forgets whoever waits no more. */
export class Happening {
  readonly #waiting = new Set<() => void>();
  #hasHappened = false;

  /** Idempotent. */
  readonly happen = (): void => {
    this.#hasHappened = true;
    for (const wake of this.#waiting) wake();
  };

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when the work is done or this has happened. @throws what the work throws, unless this happened before */
  async orDone(work: Promise<unknown>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    if (this.#hasHappened) wake();
    this.#waiting.add(wake);
    work.then(wake, reject);
    try {
      await promise;
    } finally {
      this.#waiting.delete(wake);
    }
  }
}
