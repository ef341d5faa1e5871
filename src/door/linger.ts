// The time until nobody has needed the broker for long enough.

export class Linger {
  readonly #over = Promise.withResolvers<void>();
  readonly #waitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** @param isNeeded whether somebody needs us now */
  look(isNeeded: boolean): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = isNeeded ? undefined : setTimeout(() => this.#over.resolve(), this.#waitMs);
  }

  readonly end = (): void => this.#over.resolve();

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
