// Whether a connection may be made: by a rule, or because a person who was asked granted it. A value; it opens, records and refuses nothing.
import type { EgressAnswer } from "../contracts/egress-record.ts";
import type { EgressDecision, EgressProtocol } from "../contracts/egress-policy.ts";
import { parseIpAddress } from "../kit/ip-address.ts";
import type { CurrentRules } from "./current-rules.ts";
import type { EgressBudget } from "./egress-budget.ts";
import type { Allowed, Asked } from "./open-connection.ts";
import { protocolsToAsk, type Questions } from "./questions.ts";
import type { RefusalReason } from "./reason.ts";

export interface PermitParts {
  readonly rules: CurrentRules;
  readonly budget: EgressBudget;
  readonly questions: Questions;
}

/** Why some of the protocols may be spoken there. */
export interface Ground {
  readonly reason: "rule" | "observed" | "local" | "approved";
  readonly rule: string | undefined;
  readonly protocols: readonly EgressProtocol[];
}

export type Permission =
  | {
      readonly kind: "permitted";
      readonly allowed: Allowed;
      /** Never empty. */
      readonly grounds: readonly Ground[];
    }
  | {
      readonly kind: "refused";
      readonly reason: RefusalReason;
      readonly rule: string | undefined;
      readonly opensAtMs?: number | undefined;
    };

const refusals: Readonly<Record<Exclude<EgressAnswer, "granted">, RefusalReason>> = {
  refused: "ask-refused",
  unanswered: "ask-unanswered",
  nobody: "ask",
  "too-many": "ask-limit",
};

const ruleOf = (decisions: readonly EgressDecision[]): string | undefined => decisions.find(({ ruleId }) => ruleId !== undefined)?.ruleId;

type Ruled = readonly (readonly [EgressProtocol, EgressDecision])[];

function groundOf(ruled: Ruled, reason: Ground["reason"]): Ground {
  const rule = ruleOf(ruled.map(([, decision]) => decision));
  return { reason: reason === "rule" && rule === undefined ? "local" : reason, rule, protocols: ruled.map(([protocol]) => protocol) };
}

/** What a rule only looks at has a ground of its own: it is recorded as what would be refused. */
function permitted(allowed: Allowed, isApproved: boolean): Permission {
  const isWatched = ([, { reasonCode }]: Ruled[number]): boolean => reasonCode === "observed";
  const all = [...allowed];
  const parts = [
    { ruled: all.filter((each) => !isWatched(each)), reason: isApproved ? "approved" : "rule" },
    { ruled: all.filter(isWatched), reason: "observed" },
  ] as const;
  return {
    kind: "permitted",
    allowed,
    grounds: parts.filter(({ ruled }) => ruled.length > 0).map(({ ruled, reason }) => groundOf(ruled, reason)),
  };
}

function refusedBy(decision: EgressDecision | undefined): Permission {
  const { reasonCode = "default", ruleId, opensAtMs } = decision ?? {};
  // Those that let through refuse nothing.
  const reason = reasonCode === "local" || reasonCode === "observed" ? "default" : reasonCode;
  return { kind: "refused", reason, rule: ruleId, opensAtMs };
}

async function askPerson({ host, port, via, clientPort }: Asked, askable: Allowed, parts: PermitParts): Promise<Permission> {
  const protocols = protocolsToAsk(port, [...askable.keys()]);
  const allowed = new Map([...askable].filter(([protocol]) => protocols.includes(protocol)));
  const rule = ruleOf([...allowed.values()]);
  const { generation } = parts.rules;
  const known = rule === undefined ? {} : { rule };
  const answer = await parts.questions.ask({ host, port, protocols: [...protocols], via, ...known }, clientPort);
  // Granted under rules that hold no more.
  if (parts.rules.generation !== generation) return { kind: "refused", reason: "revoked", rule };
  return answer === "granted" ? permitted(allowed, true) : { kind: "refused", reason: refusals[answer], rule };
}

/** Waits while a person is asked. Never rejects. */
export async function permitConnection(asked: Asked, parts: PermitParts): Promise<Permission> {
  const { host } = asked;
  const { allowed, askable, denied } = parts.rules.decidePlace(asked);
  if (allowed.size + askable.size === 0) return refusedBy(denied);
  if (parseIpAddress(host) === undefined && !parts.budget.takeName(host))
    return { kind: "refused", reason: "limit-names", rule: undefined };
  return allowed.size > 0 ? permitted(allowed, false) : askPerson(asked, askable, parts);
}
