// The rules of one sandbox as they are now: whoever holds this asks the policy of the moment, which a reload replaces.
import type { EgressDecider, EgressDecision, EgressTarget } from "../contracts/egress-policy.ts";

export class CurrentRules implements EgressDecider {
  #decider: EgressDecider;
  #generation = 0;

  constructor(decider: EgressDecider) {
    this.#decider = decider;
  }

  /** Another number: what was decided before was decided by other rules. */
  get generation(): number {
    return this.#generation;
  }

  replace(decider: EgressDecider): void {
    this.#decider = decider;
    this.#generation += 1;
  }

  decide(target: EgressTarget): EgressDecision {
    return this.#decider.decide(target);
  }

  decideAddress(target: EgressTarget, address: string): EgressDecision {
    return this.#decider.decideAddress(target, address);
  }

  meantBy(host: string, port: number): string {
    return this.#decider.meantBy(host, port);
  }

  mayName(name: string): boolean {
    return this.#decider.mayName(name);
  }
}
