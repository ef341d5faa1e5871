// The connections of one sandbox from their permission to their end, whoever ends them: both sides, a limit, a ledger that is gone, or new rules,
// by which what they do not permit any more ends at once. INVARIANT I-06
import type { Socket } from "node:net";
import type { EgressDecider, EgressDecision, EgressProtocol } from "../contracts/egress-policy.ts";
import type { Allowed, Asked } from "./open-connection.ts";
import { EgressEnd, type EndReason, type RefusalReason } from "./reason.ts";
import type { OpenEntry } from "./traffic-log.ts";

export interface LiveParts {
  readonly asked: Asked;
  readonly allowed: Allowed;
  readonly entry: OpenEntry;
  /** Called once. */
  readonly ended: (reason: RefusalReason | EndReason) => void;
}

export class LiveConnection {
  readonly asked: Asked;
  readonly entry: OpenEntry;
  /** What may be spoken there, by the rules of the moment. */
  allowed: Allowed;
  /** Dialled; undefined while it is not, or when a proxy was. */
  address: string | undefined;
  #socket: Socket | undefined;
  #endedBy: RefusalReason | EndReason | undefined;
  readonly #ended: LiveParts["ended"];

  constructor({ asked, allowed, entry, ended }: LiveParts) {
    this.asked = asked;
    this.allowed = allowed;
    this.entry = entry;
    this.#ended = ended;
  }

  /** From now on its end closes this too. */
  holds(socket: Socket): void {
    this.#socket = socket;
    if (this.#endedBy !== undefined) socket.destroy();
  }

  /** @throws EgressEnd when somebody ended it */
  goOn(): void {
    if (this.#endedBy !== undefined) throw new EgressEnd(this.#endedBy);
  }

  /** Closes and gives back; says how it ended. Idempotent. */
  end(reason: RefusalReason | EndReason): void {
    this.#socket?.destroy();
    if (this.#endedBy !== undefined) return;
    this.#endedBy = reason;
    this.entry.end(reason);
    this.#ended(reason);
  }
}

/** New rules that let through less end it too: what it was promised is gone. */
function isAsBefore(before: EgressDecision, now: EgressDecision): boolean {
  const holds = (was = Number.POSITIVE_INFINITY, is = Number.POSITIVE_INFINITY): boolean => is >= was;
  const isAllowed = before.verdict === "allow" && now.verdict === "allow";
  return isAllowed && holds(before.maxRequestBytes, now.maxRequestBytes) && holds(before.maxResponseBytes, now.maxResponseBytes);
}

function stillAllowed({ asked, allowed, address }: LiveConnection, decider: EgressDecider): Allowed {
  const { host, port } = asked;
  const judge = (protocol: EgressProtocol): EgressDecision => {
    const decision = decider.decide({ host, port, protocol });
    if (decision.verdict !== "allow" || address === undefined) return decision;
    return decider.decideAddress({ host, port, protocol }, address);
  };
  const judged = [...allowed].map(([protocol, before]) => ({ protocol, before, now: judge(protocol) }));
  return new Map(judged.filter(({ before, now }) => isAsBefore(before, now)).map(({ protocol, now }) => [protocol, now]));
}

export class LiveConnections {
  readonly #live = new Set<LiveConnection>();

  add(live: LiveConnection): void {
    this.#live.add(live);
  }

  delete(live: LiveConnection): void {
    this.#live.delete(live);
  }

  endAll(reason: RefusalReason | EndReason): void {
    for (const live of this.#live) live.end(reason);
  }

  /** What a person granted was granted under the rules before, and ends. @returns how many were ended */
  judgeAgain(decider: EgressDecider): number {
    let ended = 0;
    for (const live of this.#live) {
      live.allowed = stillAllowed(live, decider);
      const { protocol: spoken } = live.entry;
      if ([...live.allowed.keys()].some((protocol) => spoken === undefined || protocol === spoken)) continue;
      ended += 1;
      live.end("revoked");
    }
    return ended;
  }
}
