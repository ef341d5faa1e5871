// What is wrong with rules about connections, beyond their shape: places that nobody may name, and rules about nothing.
import type { PolicyFacts } from "../contracts/policy-port.ts";
import { parseHostPattern, parseLocalPlace, rangeFault } from "./egress-values.ts";
import type { Findings } from "./findings.ts";
import type { KeyPath } from "./key-path.ts";
import { itemsAt, showValue, textsAt, valueAt } from "./plain-value.ts";
import { checkRequests } from "./request-rules.ts";
import { checkWindow } from "./window-values.ts";

function invalid(findings: Findings, situation: string, path: KeyPath, value: unknown): void {
  findings.add({ code: "POLICY_VALUE_INVALID", situation, path, values: { value: showValue(value) } });
}

/** `*.co.uk`, `*.github.io`: names that anybody may register below. Without the list nobody knows, and every wildcard is refused. */
function isSuffix(text: string, { isPublicSuffix = () => true }: PolicyFacts): boolean {
  const parsed = parseHostPattern(text);
  return parsed.kind === "valid" && parsed.value.match !== "exact" && isPublicSuffix(parsed.value.name);
}

function checkRule(value: unknown, path: KeyPath, facts: PolicyFacts, findings: Findings): void {
  const at = (name: string): unknown => valueAt(value, [...path, name]);
  const verdict = at("verdict");
  const opens = verdict === "allow" || at("mode") === "observe";
  for (const { text, path: place } of textsAt(value, [...path, "hosts"])) {
    const parsed = parseHostPattern(text);
    if (parsed.kind === "invalid") invalid(findings, parsed.situation, place, text);
    else if (verdict === "allow" && isSuffix(text, facts)) invalid(findings, "policy.host-suffix", place, text);
  }
  for (const { text, path: place } of textsAt(value, [...path, "cidr"])) {
    const situation = rangeFault(text, verdict);
    if (situation !== undefined) invalid(findings, situation, place, text);
  }
  const isAboutNothing = itemsAt(value, [...path, "hosts"]).length === 0 && itemsAt(value, [...path, "cidr"]).length === 0;
  if (isAboutNothing) invalid(findings, "policy.egress-nowhere", path, at("id"));
  const isTcp = textsAt(value, [...path, "protocols"]).some(({ text }) => text === "tcp");
  if (opens && isTcp && itemsAt(value, [...path, "ports"]).length === 0) invalid(findings, "policy.egress-ports", path, at("id"));
  for (const name of ["sni", "maxRequest", "maxResponse"])
    if (!opens && at(name) !== undefined) invalid(findings, "policy.egress-allow-only", [...path, name], at(name));
  checkRequests(value, path, findings);
  checkWindow(value, [...path, "window"], findings);
}

/** Works on unchecked data, so that one look names everything. */
export function checkEgress(value: unknown, facts: PolicyFacts, findings: Findings): void {
  for (const { path } of itemsAt(value, ["egress"])) checkRule(value, path, facts, findings);
  for (const { text, path } of textsAt(value, ["allowLocal"])) {
    const parsed = parseLocalPlace(text);
    if (parsed.kind === "invalid") invalid(findings, parsed.situation, path, text);
  }
}
