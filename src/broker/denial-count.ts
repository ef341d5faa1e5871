// Counts what was refused to one task, by the mediator and by the gate, and says once when that is as much as its policy bears. The gate records each
// place once, because programs try again by themselves; the mediator tells of each call.
import type { LimitHit } from "../contracts/limits.ts";

export class DenialCount {
  /** Resolves with the refusal that fills the count, and then holds for every later command of the task; never for Infinity. */
  readonly reached: Promise<LimitHit>;
  readonly #allowed: number;
  readonly #resolve: (hit: LimitHit) => void;
  #count = 0;

  /** @param allowed refusals that stop the task, at least 1 */
  constructor(allowed: number) {
    const { promise, resolve } = Promise.withResolvers<LimitHit>();
    this.reached = promise;
    this.#allowed = allowed;
    this.#resolve = resolve;
  }

  readonly add = (): void => {
    this.#count += 1;
    if (this.#count === this.#allowed) this.#resolve({ limit: "denials", allowed: this.#allowed, observed: this.#count });
  };
}
