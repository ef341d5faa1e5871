// The rules of one sandbox as they are now: whoever holds this asks the policy of the moment, which a reload replaces, as it is at this time of day.
import type { EgressDecider, EgressDecision, EgressPolicy, EgressProtocol, EgressTarget, RulesAt } from "../contracts/egress-policy.ts";
import { Remembered } from "../kit/remembered.ts";

/** Places, addresses of places, and names: more than any honest task asks about. */
const mostKnown = 4096;
const mostPlaces = 512;

export interface Place {
  readonly host: string;
  readonly port: number;
  /** What may turn out to be spoken there. */
  readonly protocols: readonly EgressProtocol[];
}

export interface PlaceDecision {
  readonly allowed: ReadonlyMap<EgressProtocol, EgressDecision>;
  /** By whose rules a person is to be asked. */
  readonly askable: ReadonlyMap<EgressProtocol, EgressDecision>;
  /** Why the whole place is refused; a rule's word before the policy's. */
  readonly denied: EgressDecision | undefined;
}

const keyOf = ({ host, port, protocol }: EgressTarget): string => `${protocol} ${port} ${host}`;

function decidePlace({ host, port, protocols }: Place, decider: EgressDecider): PlaceDecision {
  const decisions = protocols.map((protocol) => [protocol, decider.decide({ host, port, protocol })] as const);
  const by = (verdict: EgressDecision["verdict"]): Map<EgressProtocol, EgressDecision> =>
    new Map(decisions.filter(([, decision]) => decision.verdict === verdict));
  const [allowed, askable] = [by("allow"), by("ask")];
  if (allowed.size + askable.size > 0) return { allowed, askable, denied: undefined };
  const [, denied] = decisions.find(([, { ruleId }]) => ruleId !== undefined) ?? decisions[0] ?? [];
  return { allowed, askable, denied };
}

/** The same answers: rules are pure, and each place is asked about again and again. */
function remembering(decider: EgressDecider): EgressDecider {
  const targets = new Remembered<EgressDecision>(mostKnown);
  const addresses = new Remembered<EgressDecision>(mostKnown);
  const names = new Remembered<boolean>(mostKnown);
  return {
    changesAtMs: decider.changesAtMs,
    // There is no end to the paths of requests.
    decide: (target) => (target.request === undefined ? targets.of(keyOf(target), () => decider.decide(target)) : decider.decide(target)),
    decideAddress: (target, address) => addresses.of(`${address} ${keyOf(target)}`, () => decider.decideAddress(target, address)),
    meantBy: (host, port) => decider.meantBy(host, port),
    mayName: (name) => names.of(name, () => decider.mayName(name)),
  };
}

export interface RulesParts {
  readonly rulesAt: RulesAt;
  /** Milliseconds since 1970. */
  readonly wallMs: () => number;
}

export class CurrentRules implements EgressDecider {
  readonly #parts: RulesParts;
  #policy: EgressPolicy;
  #decider: EgressDecider;
  #madeAtMs: number;
  #places = new Remembered<PlaceDecision>(mostPlaces);
  #generation = 0;

  constructor(policy: EgressPolicy, parts: RulesParts) {
    this.#parts = parts;
    this.#policy = policy;
    this.#madeAtMs = parts.wallMs();
    this.#decider = remembering(parts.rulesAt(policy, this.#madeAtMs));
  }

  /** Another number: what was decided before was decided by other rules. */
  get generation(): number {
    return this.#generation;
  }

  /** The generation whose rules hold at this moment. */
  get now(): number {
    this.keepTime();
    return this.#generation;
  }

  get changesAtMs(): number | undefined {
    return this.#decider.changesAtMs;
  }

  replace(policy: EgressPolicy): void {
    this.#policy = policy;
    this.#madeAtMs = this.#parts.wallMs();
    this.#decider = remembering(this.#parts.rulesAt(policy, this.#madeAtMs));
    this.#places = new Remembered(mostPlaces);
    this.#generation += 1;
  }

  /** What the policy says now: at another time, or by clocks that were put back, that may be something else. */
  keepTime(): EgressDecider {
    const { changesAtMs } = this.#decider;
    if (changesAtMs === undefined) return this.#decider;
    const nowMs = this.#parts.wallMs();
    if (nowMs >= changesAtMs || nowMs < this.#madeAtMs) this.replace(this.#policy);
    return this.#decider;
  }

  decidePlace(place: Place): PlaceDecision {
    const decider = this.keepTime();
    return this.#places.of(`${place.protocols.join(" ")} ${place.port} ${place.host}`, () => decidePlace(place, decider));
  }

  decide(target: EgressTarget): EgressDecision {
    return this.keepTime().decide(target);
  }

  decideAddress(target: EgressTarget, address: string): EgressDecision {
    return this.keepTime().decideAddress(target, address);
  }

  meantBy(host: string, port: number): string {
    return this.#decider.meantBy(host, port);
  }

  mayName(name: string): boolean {
    return this.keepTime().mayName(name);
  }
}
