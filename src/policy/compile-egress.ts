// The rules about connections as the gate gets them.
import type { CompiledEgressRule, EgressPolicy } from "../contracts/egress-policy.ts";
import type { AcceptedRisk } from "../contracts/policy-document.ts";
import type { EgressRule } from "../contracts/egress-rule.ts";
import type { ApprovalMode } from "../contracts/policy-port.ts";
import { parseHostPattern, parseLocalPlace, type Parsed } from "./egress-values.ts";
import { isObserved, observedUntil } from "./observed-rules.ts";
import { compileRequests } from "./request-rules.ts";
import { parseSize } from "./units.ts";
import { compileWindow } from "./window-values.ts";

interface EgressValues {
  readonly approval: ApprovalMode;
  readonly egress: readonly EgressRule[];
  readonly allowLocal: readonly string[];
  readonly acceptRisk: readonly AcceptedRisk[];
  readonly egressBytes: number;
  readonly egressConnections: number;
}

function checked<Value>(parsed: Parsed<Value>): Value {
  if (parsed.kind === "invalid") throw new TypeError(parsed.situation);
  return parsed.value;
}

const bytes = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseSize(text));

/** As it decides: `never` asks nobody, and what is observed is let through. */
function compileVerdict(rule: EgressRule, { approval, acceptRisk }: EgressValues): Pick<CompiledEgressRule, "verdict" | "observedUntilMs"> {
  if (isObserved(rule)) return { verdict: "observe", observedUntilMs: observedUntil(acceptRisk) };
  return { verdict: rule.verdict === "ask" && approval === "never" ? "deny" : rule.verdict };
}

function compileRule(rule: EgressRule, values: EgressValues): CompiledEgressRule {
  const { id, hosts = [], cidr = [], ports, protocols, sni, maxRequest, maxResponse, window, reason } = rule;
  const maxRequestBytes = bytes(maxRequest);
  const maxResponseBytes = bytes(maxResponse);
  const requests = compileRequests(rule);
  return {
    id,
    ...compileVerdict(rule, values),
    ...(window === undefined ? {} : { window: compileWindow(window) }),
    hosts: hosts.map((text) => checked(parseHostPattern(text))),
    cidr: [...cidr],
    ...(ports === undefined ? {} : { ports }),
    ...(protocols === undefined ? {} : { protocols }),
    ...(requests === undefined ? {} : { requests }),
    sni: sni ?? "required",
    ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }),
    ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** As with commands, `approval: regular` asks about what no rule decides, and `never` refuses what a rule would ask. @param values in canonical spelling */
export function compileEgress(values: EgressValues): EgressPolicy {
  const { approval, egress, allowLocal, egressBytes, egressConnections } = values;
  return {
    rules: egress.map((rule) => compileRule(rule, values)),
    unruled: approval === "regular" ? "ask" : "deny",
    local: allowLocal.map((text) => checked(parseLocalPlace(text))),
    sentBytes: egressBytes,
    connections: egressConnections,
  };
}
