// The rules about connections as the gate gets them.
import type { CompiledEgressRule, EgressPolicy } from "../contracts/egress-policy.ts";
import type { EgressRule } from "../contracts/policy-document.ts";
import type { ApprovalMode } from "../contracts/policy-port.ts";
import { parseHostPattern, parseLocalPlace, type Parsed } from "./egress-values.ts";
import { parseSize } from "./units.ts";

interface EgressValues {
  readonly approval: ApprovalMode;
  readonly egress: readonly EgressRule[];
  readonly allowLocal: readonly string[];
  readonly egressBytes: number;
  readonly egressConnections: number;
}

function checked<Value>(parsed: Parsed<Value>): Value {
  if (parsed.kind === "invalid") throw new TypeError(parsed.situation);
  return parsed.value;
}

const bytes = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseSize(text));

function compileRule(rule: EgressRule, approval: ApprovalMode): CompiledEgressRule {
  const { id, verdict, hosts = [], cidr = [], ports, protocols, sni, maxRequest, maxResponse, reason } = rule;
  const maxRequestBytes = bytes(maxRequest);
  const maxResponseBytes = bytes(maxResponse);
  return {
    id,
    verdict: verdict === "ask" && approval === "never" ? "deny" : verdict,
    hosts: hosts.map((text) => checked(parseHostPattern(text))),
    cidr: [...cidr],
    ...(ports === undefined ? {} : { ports }),
    ...(protocols === undefined ? {} : { protocols }),
    sni: sni ?? "required",
    ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }),
    ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** As with commands, `approval: regular` asks about what no rule decides, and `never` refuses what a rule would ask. @param values in canonical spelling */
export function compileEgress({ approval, egress, allowLocal, egressBytes, egressConnections }: EgressValues): EgressPolicy {
  return {
    rules: egress.map((rule) => compileRule(rule, approval)),
    unruled: approval === "regular" ? "ask" : "deny",
    local: allowLocal.map((text) => checked(parseLocalPlace(text))),
    sentBytes: egressBytes,
    connections: egressConnections,
  };
}
