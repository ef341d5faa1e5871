// The connections of one sandbox from their permission to their end, whoever ends them: both sides, a limit, a ledger that is gone, or new rules,
// by which what they do not permit any more ends at once. INVARIANT I-06
import type { Socket } from "node:net";
import type { EgressDecider, EgressDecision, EgressProtocol, PlainRequest } from "../contracts/egress-policy.ts";
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
  #request: PlainRequest | undefined;
  #socket: Socket | undefined;
  #endedBy: RefusalReason | EndReason | undefined;
  readonly #ended: LiveParts["ended"];

  constructor({ asked, allowed, entry, ended }: LiveParts) {
    this.asked = asked;
    this.allowed = allowed;
    this.entry = entry;
    this.#ended = ended;
  }

  /** What it is a request for, from now on. */
  get request(): PlainRequest | undefined {
    return this.#request;
  }

  /** @returns undefined: the place is allowed for other requests */
  permits(request: PlainRequest, decider: EgressDecider): EgressDecision | undefined {
    const { host, port } = this.asked;
    this.#request = request;
    const before = this.allowed.get("http");
    const now = decider.decide({ host, port, protocol: "http", request });
    return before !== undefined && (now.verdict === "allow" || isGrantKept(before, now)) ? now : undefined;
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

/** What a person granted under the rules of before: a new policy ends it, the same at another time does not. */
export type Grants = "grants end" | "grants hold";

const isGrantKept = (before: EgressDecision, now: EgressDecision): boolean =>
  before.verdict === "ask" && now.verdict === "ask" && before.ruleId === now.ruleId;

/** New rules that let through less end it too: what it was promised is gone. */
function isAsBefore(before: EgressDecision, now: EgressDecision, grants: Grants): boolean {
  const holds = (was = Number.POSITIVE_INFINITY, is = Number.POSITIVE_INFINITY): boolean => is >= was;
  const isAllowed = (before.verdict === "allow" && now.verdict === "allow") || (grants === "grants hold" && isGrantKept(before, now));
  return isAllowed && holds(before.maxRequestBytes, now.maxRequestBytes) && holds(before.maxResponseBytes, now.maxResponseBytes);
}

interface Judged {
  readonly allowed: Allowed;
  /** Why the rest is not. */
  readonly reason: "revoked" | "window";
}

function judgeNow({ asked, allowed, address, request }: LiveConnection, decider: EgressDecider, grants: Grants): Judged {
  const { host, port } = asked;
  const judge = (protocol: EgressProtocol): EgressDecision => {
    const decision = decider.decide({ host, port, protocol, request: protocol === "http" ? request : undefined });
    if (decision.verdict !== "allow" || address === undefined) return decision;
    return decider.decideAddress({ host, port, protocol }, address);
  };
  const judged = [...allowed].map(([protocol, before]) => ({ protocol, before, now: judge(protocol) }));
  const isClosed = judged.some(({ now }) => now.reasonCode === "window");
  return {
    allowed: new Map(judged.filter(({ before, now }) => isAsBefore(before, now, grants)).map(({ protocol, now }) => [protocol, now])),
    reason: isClosed ? "window" : "revoked",
  };
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

  /** @returns how many were ended */
  judgeAgain(decider: EgressDecider, grants: Grants): number {
    let ended = 0;
    for (const live of this.#live) {
      const { allowed, reason } = judgeNow(live, decider, grants);
      live.allowed = allowed;
      const { protocol: spoken } = live.entry;
      if ([...live.allowed.keys()].some((protocol) => spoken === undefined || protocol === spoken)) continue;
      ended += 1;
      live.end(reason);
    }
    return ended;
  }
}
