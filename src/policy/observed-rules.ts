// Rules that only look (`mode: observe`): whose they may be, until when, and what is wrong with them beyond their shape.
import type { AcceptedRisk } from "../contracts/policy-document.ts";
import type { EgressRule } from "../contracts/egress-rule.ts";
import type { PolicyFacts, PolicySource } from "../contracts/policy-port.ts";
import type { Findings } from "./findings.ts";
import { itemsAt, showValue, valueAt } from "./plain-value.ts";

/** What `acceptRisk` calls them. */
export const observeRisk = "egress.observe";

const dayMs = 86_400_000;

/** The first moment at which it holds no more: the end of its last day. */
const endOf = (until: string): number => Date.parse(`${until}T00:00:00Z`) + dayMs;

/** The rule lets through what it is about, instead of denying it. */
export const isObserved = ({ verdict, mode }: Pick<EgressRule, "verdict" | "mode">): boolean => verdict === "deny" && mode === "observe";

/** Of several ends the first: nobody lifted more. */
export function observedUntil(risks: readonly AcceptedRisk[]): number {
  return Math.min(...risks.filter(({ what }) => what === observeRisk).map(({ until }) => endOf(until)));
}

/** An acceptance that is over lifts nothing, and must not look as if it did. INVARIANT I-14 */
function checkEnds(value: unknown, { nowMs = Infinity }: PolicyFacts, findings: Findings): void {
  for (const { path } of itemsAt(value, ["acceptRisk"])) {
    const until = valueAt(value, [...path, "until"]);
    if (typeof until === "string" && endOf(until) <= nowMs)
      findings.add({
        code: "POLICY_KEY_INERT",
        situation: "policy.risk-over",
        path: [...path, "until"],
        values: { value: showValue(until) },
      });
  }
}

/** Works on unchecked data, so that one look names everything. */
export function checkObserved(value: unknown, source: PolicySource, facts: PolicyFacts, findings: Findings): void {
  const isOwn = source.origin === "system" || source.origin === "user";
  const invalid = (situation: string, path: readonly (string | number)[]): void =>
    findings.add({ code: "POLICY_VALUE_INVALID", situation, path, values: {} });
  if (!isOwn && itemsAt(value, ["acceptRisk"]).length > 0) invalid("policy.outside-not-own", ["acceptRisk"]);
  checkEnds(value, facts, findings);
  const isAccepted = itemsAt(value, ["acceptRisk"]).some(({ path }) => valueAt(value, [...path, "what"]) === observeRisk);
  for (const { path: rule } of itemsAt(value, ["egress"])) {
    const path = [...rule, "mode"];
    if (valueAt(value, path) !== "observe") continue;
    if (!isOwn) invalid("policy.outside-not-own", path);
    else if (valueAt(value, [...rule, "verdict"]) !== "deny") invalid("policy.observe-deny", path);
    else if (!isAccepted) invalid("policy.observe-risk", path);
  }
}
