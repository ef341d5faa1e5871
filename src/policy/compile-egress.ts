// The rules about connections as the gate gets them.
import type { CompiledEgressRule, EgressPolicy } from "../contracts/egress-policy.ts";
import type { EgressRule } from "../contracts/policy-document.ts";
import { parseHostPattern, parseLocalPlace, type Parsed } from "./egress-values.ts";
import { parseSize } from "./units.ts";

interface EgressValues {
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

function compileRule({
  id,
  verdict,
  hosts = [],
  cidr = [],
  ports,
  protocols,
  sni,
  maxRequest,
  maxResponse,
}: EgressRule): CompiledEgressRule {
  const maxRequestBytes = bytes(maxRequest);
  const maxResponseBytes = bytes(maxResponse);
  return {
    id,
    verdict,
    hosts: hosts.map((text) => checked(parseHostPattern(text))),
    cidr: [...cidr],
    ...(ports === undefined ? {} : { ports }),
    ...(protocols === undefined ? {} : { protocols }),
    sni: sni ?? "required",
    ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }),
    ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }),
  };
}

/** @param values in canonical spelling */
export function compileEgress({ egress, allowLocal, egressBytes, egressConnections }: EgressValues): EgressPolicy {
  return {
    rules: egress.map(compileRule),
    local: allowLocal.map((text) => checked(parseLocalPlace(text))),
    sentBytes: egressBytes,
    connections: egressConnections,
  };
}
