// What a policy says about one place, as a person asks it: for each protocol the rule that decides, why, and the change that would allow it.
import { draftRule } from "../contracts/draft-rule.ts";
import { type CompiledEgressRule, type EgressDecision, egressProtocols } from "../contracts/egress-policy.ts";
import type { CompiledPolicy, ConnectionAnswer } from "../contracts/policy-port.ts";
import { egressDecider } from "./decide-egress.ts";

interface Place {
  /** Canonical name or address. */
  readonly host: string;
  readonly port: number;
}

const denials: Readonly<Record<EgressDecision["reasonCode"], string>> = {
  rule: "policy.sheet.connection.rule-denies",
  window: "policy.sheet.connection.window",
  default: "policy.sheet.connection.no-rule",
  address: "policy.sheet.connection.address",
  "local-name": "policy.sheet.connection.local-name",
  local: "policy.sheet.connection.no-rule",
  observed: "policy.sheet.connection.no-rule",
};

function keyOf({ verdict, ruleId, reasonCode, opensAtMs }: EgressDecision, rules: readonly CompiledEgressRule[]): string {
  if (verdict === "deny")
    return reasonCode === "window" && opensAtMs === undefined ? "policy.sheet.connection.window-over" : denials[reasonCode];
  if (reasonCode === "observed") return "policy.sheet.connection.observed";
  if (verdict === "ask") return ruleId === undefined ? "policy.sheet.connection.asks" : "policy.sheet.connection.rule-asks";
  if (reasonCode === "local") return "policy.sheet.connection.local";
  const isAboutSome = rules.some(({ id, requests }) => id === ruleId && requests !== undefined);
  return isAboutSome ? "policy.sheet.connection.rule-allows-requests" : "policy.sheet.connection.rule-allows";
}

/** As it is at the moment. Names are not looked up: where an allowed one leads inward, the gate refuses it when it is asked for. */
export function explainConnection({ egress }: CompiledPolicy, { host, port }: Place, nowMs: number): ConnectionAnswer {
  const decider = egressDecider(egress, nowMs);
  const decisions = egressProtocols.map((protocol) => ({ protocol, decision: decider.decide({ host, port, protocol }) }));
  const verdicts = decisions.map(({ decision }) => decision.verdict);
  const change = `egress: [${draftRule(host, port)}]`;
  const said = Map.groupBy(decisions, ({ decision }) => JSON.stringify([keyOf(decision, egress.rules), decision.ruleId]));
  const lines = [...said.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const protocols = group.map(({ protocol }) => protocol).join(", ");
    const { ruleId = "", opensAtMs } = first.decision;
    const opens = opensAtMs === undefined ? "" : new Date(opensAtMs).toISOString();
    return [{ key: keyOf(first.decision, egress.rules), values: { host, port, protocols, rule: ruleId, change, opens } }];
  });
  return { verdict: (["allow", "ask"] as const).find((verdict) => verdicts.includes(verdict)) ?? "deny", lines };
}
