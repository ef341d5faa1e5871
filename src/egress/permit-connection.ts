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

export type Permission =
  | {
      readonly kind: "permitted";
      readonly allowed: Allowed;
      readonly reason: "rule" | "local" | "approved";
      readonly rule: string | undefined;
    }
  | { readonly kind: "refused"; readonly reason: RefusalReason; readonly rule: string | undefined };

const refusals: Readonly<Record<Exclude<EgressAnswer, "granted">, RefusalReason>> = {
  refused: "ask-refused",
  unanswered: "ask-unanswered",
  nobody: "ask",
  "too-many": "ask-limit",
};

const ruleOf = (decisions: readonly EgressDecision[]): string | undefined => decisions.find(({ ruleId }) => ruleId !== undefined)?.ruleId;

function permitted(allowed: Allowed, isApproved: boolean): Permission {
  const rule = ruleOf([...allowed.values()]);
  return { kind: "permitted", allowed, rule, reason: isApproved ? "approved" : rule === undefined ? "local" : "rule" };
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
  const { host, port, protocols } = asked;
  const decisions = protocols.map((protocol) => [protocol, parts.rules.decide({ host, port, protocol })] as const);
  const by = (verdict: EgressDecision["verdict"]): Map<EgressProtocol, EgressDecision> =>
    new Map(decisions.filter(([, decision]) => decision.verdict === verdict));
  const [allowed, askable] = [by("allow"), by("ask")];
  if (allowed.size + askable.size === 0) {
    const [, first] = decisions.find(([, { ruleId }]) => ruleId !== undefined) ?? decisions[0] ?? [];
    const reason = first === undefined || first.reasonCode === "local" ? "default" : first.reasonCode;
    return { kind: "refused", reason, rule: first?.ruleId };
  }
  if (parseIpAddress(host) === undefined && !parts.budget.takeName(host))
    return { kind: "refused", reason: "limit-names", rule: undefined };
  return allowed.size > 0 ? permitted(allowed, false) : askPerson(asked, askable, parts);
}
