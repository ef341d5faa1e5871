// What a policy says about one place, as a person asks it: for each protocol the rule that decides, why, and the change that would allow it.
import { draftRule } from "../contracts/draft-rule.ts";
import { type EgressDecision, egressProtocols } from "../contracts/egress-policy.ts";
import type { CompiledPolicy, ConnectionAnswer } from "../contracts/policy-port.ts";
import { egressDecider } from "./decide-egress.ts";

interface Place {
  /** Canonical name or address. */
  readonly host: string;
  readonly port: number;
}

const denials: Readonly<Record<EgressDecision["reasonCode"], string>> = {
  rule: "policy.sheet.connection.rule-denies",
  default: "policy.sheet.connection.no-rule",
  address: "policy.sheet.connection.address",
  "local-name": "policy.sheet.connection.local-name",
  local: "policy.sheet.connection.no-rule",
};

function keyOf({ verdict, ruleId, reasonCode }: EgressDecision): string {
  if (verdict === "deny") return denials[reasonCode];
  if (verdict === "ask") return ruleId === undefined ? "policy.sheet.connection.asks" : "policy.sheet.connection.rule-asks";
  return reasonCode === "local" ? "policy.sheet.connection.local" : "policy.sheet.connection.rule-allows";
}

/** Names are not looked up: where an allowed one leads inward, the gate refuses it when it is asked for. */
export function explainConnection({ egress }: CompiledPolicy, { host, port }: Place): ConnectionAnswer {
  const decider = egressDecider(egress);
  const decisions = egressProtocols.map((protocol) => ({ protocol, decision: decider.decide({ host, port, protocol }) }));
  const verdicts = decisions.map(({ decision }) => decision.verdict);
  const change = `egress: [${draftRule(host, port)}]`;
  const said = Map.groupBy(decisions, ({ decision }) => JSON.stringify([keyOf(decision), decision.ruleId]));
  const lines = [...said.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const protocols = group.map(({ protocol }) => protocol).join(", ");
    return [{ key: keyOf(first.decision), values: { host, port, protocols, rule: first.decision.ruleId ?? "", change } }];
  });
  return { verdict: (["allow", "ask"] as const).find((verdict) => verdicts.includes(verdict)) ?? "deny", lines };
}
