// Rules about single requests: their methods and paths, where there is no TLS. They only narrow what an allow lets through: a deny by path would be
// worth as much as the server's way to read paths.
import type { PlainRequest, RequestRules } from "../contracts/egress-policy.ts";
import type { EgressRule } from "../contracts/egress-rule.ts";
import type { Findings } from "./findings.ts";
import type { KeyPath } from "./key-path.ts";
import { showValue, valueAt } from "./plain-value.ts";

export function compileRequests({ methods, paths }: EgressRule): RequestRules | undefined {
  if (methods === undefined && paths === undefined) return undefined;
  const compiled = paths?.map((text) =>
    text.endsWith("/*") ? { match: "below" as const, path: text.slice(0, -1) } : { match: "exact" as const, path: text },
  );
  return { ...(methods === undefined ? {} : { methods: [...methods] }), ...(compiled === undefined ? {} : { paths: compiled }) };
}

/** @param rules undefined: of a rule about every request */
export function admitsRequest(rules: RequestRules | undefined, { method, path }: PlainRequest): boolean {
  if (rules === undefined) return true;
  const { methods, paths } = rules;
  const isMethod = methods === undefined || (method !== undefined && methods.includes(method));
  const isPath = (asked: string): boolean =>
    paths?.some((each) => (each.match === "exact" ? asked === each.path : asked.startsWith(each.path))) ?? true;
  return isMethod && (paths === undefined || (path !== undefined && isPath(path)));
}

/** Works on unchecked data. */
export function checkRequests(rule: unknown, path: KeyPath, findings: Findings): void {
  const protocols = valueAt(rule, [...path, "protocols"]);
  const isPlain = Array.isArray(protocols) && protocols.length > 0 && protocols.every((protocol) => protocol === "http");
  const opens = valueAt(rule, [...path, "verdict"]) === "allow" && valueAt(rule, [...path, "mode"]) !== "observe";
  for (const name of ["methods", "paths"]) {
    const value = valueAt(rule, [...path, name]);
    if (value === undefined) continue;
    const at = { path: [...path, name], values: { value: showValue(value) } };
    if (!opens) findings.add({ code: "POLICY_VALUE_INVALID", situation: "policy.egress-allow-only", ...at });
    else if (!isPlain) findings.add({ code: "POLICY_KEY_UNSUPPORTED", situation: "policy.egress-requests", ...at });
  }
}
