// What the schema cannot say: paths, ranges, names that never pass, ids that must be unique. Works on unchecked data, so that one look
// names everything that is wrong.
import { isWebhookPlace } from "../contracts/webhook-place.ts";
import type { PolicyFacts, PolicySource } from "../contracts/policy-port.ts";
import { parseHostPort } from "../kit/host-name.ts";
import { checkEgress } from "./egress-findings.ts";
import { forbiddenBy, matchesName } from "./environment-rules.ts";
import type { Findings } from "./findings.ts";
import type { KeyPath } from "./key-path.ts";
import { dayMs } from "./layer-values.ts";
import { checkObserved } from "./observed-rules.ts";
import { parsePattern, resolvePath } from "./path-pattern.ts";
import { isRecord, itemsAt, showValue, textsAt, valueAt } from "./plain-value.ts";
import { unknownKey } from "./schema-findings.ts";
import { parseDuration, parseSize, showDuration, showSize } from "./units.ts";
import { readRootFault, writeRootFault } from "./opened-roots.ts";

type Values = Readonly<Record<string, string | number>>;

function invalid(findings: Findings, situation: string, path: KeyPath, values: Values = {}): void {
  findings.add({ code: "POLICY_VALUE_INVALID", situation, path, values });
}

/** NUL cannot be part of a path, an argument or a variable. */
function checkTexts(value: unknown, path: KeyPath, findings: Findings): void {
  if (typeof value === "string" && value.includes("\0")) invalid(findings, "policy.text-nul", path);
  if (Array.isArray(value)) for (const [index, item] of value.entries()) checkTexts(item, [...path, index], findings);
  if (isRecord(value)) for (const [name, item] of Object.entries(value)) checkTexts(item, [...path, name], findings);
}

function checkPath(text: string, path: KeyPath, findings: Findings): void {
  const parsed = parsePattern(text);
  if (parsed.kind === "invalid") invalid(findings, parsed.situation, path, { value: showValue(text) });
  // Only what denies reading may match what nobody has made yet.
  if (parsed.kind === "glob" && !path.includes("denyRead")) invalid(findings, "policy.path-glob", path, { value: showValue(text) });
}

function checkPaths(value: unknown, findings: Findings): void {
  const lists = ["allowRead", "denyRead", "allowWrite", "denyWrite"].flatMap((name) => textsAt(value, ["filesystem", name]));
  const asked = itemsAt(value, ["tests"]).flatMap((test) => ["cwd", "read", "write"].map((name) => [...test.path, "request", name]));
  for (const { text, path } of lists) checkPath(text, path, findings);
  for (const path of asked) {
    const text = valueAt(value, path);
    if (typeof text === "string") checkPath(text, path, findings);
  }
}

/** A root is judged as written and as the place behind its links. */
function checkRoots(value: unknown, facts: PolicyFacts, findings: Findings): void {
  const judges = [
    { name: "allowRead", judge: readRootFault },
    { name: "allowWrite", judge: writeRootFault },
  ];
  for (const { name, judge } of judges) {
    for (const { text, path } of textsAt(value, ["filesystem", name])) {
      const parsed = parsePattern(text);
      if (parsed.kind !== "literal") continue;
      const root = resolvePath(parsed.path, facts);
      const situation = judge(root, facts) ?? judge(facts.canonicalPath?.(root) ?? root, facts);
      if (situation !== undefined) invalid(findings, situation, path, { value: showValue(text), root });
    }
  }
}

/** Names that would poison an object or speak to Glovebox itself. */
function checkEnvironment(value: unknown, findings: Findings): void {
  const set = valueAt(value, ["environment", "set"]);
  for (const name of isRecord(set) ? Object.keys(set) : []) {
    const path = ["environment", "set", name];
    if (["__proto__", "constructor", "prototype"].includes(name)) findings.add(unknownKey(["environment", "set"], name));
    else if (matchesName("GLOVEBOX_*", name)) invalid(findings, "policy.environment-own", path, { name });
  }
  const files = valueAt(value, ["environment", "homeFiles"]);
  for (const name of isRecord(files) ? Object.keys(files) : []) {
    // The sandbox's own, made of what is harmless in the host's.
    if (/^\.(?:gitconfig|config\/git)(?:\/|$)/u.test(name))
      invalid(findings, "policy.home-file-own", ["environment", "homeFiles", name], { name });
  }
  for (const { text, path } of textsAt(value, ["environment", "pass"])) {
    // A bare * is the schema's finding.
    const forbidden = text === "*" ? undefined : forbiddenBy(text);
    if (forbidden !== undefined) invalid(findings, "policy.environment-never", path, { value: showValue(text), forbidden });
  }
}

interface Range {
  readonly name: readonly [string, string];
  readonly minimum: number;
  readonly maximum: number;
  readonly parse: (text: string) => number | undefined;
  readonly show: (value: number) => string;
}

const ranges: readonly Range[] = [
  // A timer of the runtime holds at most 2^31 ms, a little under 25 days.
  { name: ["limits", "wall"], minimum: 1, maximum: 24 * dayMs, parse: parseDuration, show: showDuration },
  { name: ["limits", "cpuTime"], minimum: 1000, maximum: 24 * dayMs, parse: parseDuration, show: showDuration },
  { name: ["limits", "memory"], minimum: 64 * 2 ** 20, maximum: 2 ** 50, parse: parseSize, show: showSize },
  { name: ["limits", "disk"], minimum: 2 ** 20, maximum: 2 ** 50, parse: parseSize, show: showSize },
  { name: ["limits", "output"], minimum: 1, maximum: 2 ** 40, parse: parseSize, show: showSize },
  { name: ["limits", "egressBytes"], minimum: 1, maximum: 2 ** 40, parse: parseSize, show: showSize },
  { name: ["limits", "returned"], minimum: 1, maximum: 64 * 2 ** 20, parse: parseSize, show: showSize },
  { name: ["container", "artifactBytes"], minimum: 1, maximum: 64 * 2 ** 30, parse: parseSize, show: showSize },
  { name: ["container", "expires"], minimum: 1000, maximum: 365 * dayMs, parse: parseDuration, show: showDuration },
  { name: ["audit", "retention"], minimum: dayMs, maximum: 3650 * dayMs, parse: parseDuration, show: showDuration },
];

function checkRanges(value: unknown, findings: Findings): void {
  for (const { name, minimum, maximum, parse, show } of ranges) {
    const text = valueAt(value, name);
    // A text that is no size or time is the schema's finding.
    if (typeof text !== "string" || !/^[1-9]\d*(?:B|[KMGT]iB|ms|[smhd])$/u.test(text)) continue;
    const parsed = parse(text) ?? Number.POSITIVE_INFINITY;
    if (parsed < minimum || parsed > maximum) {
      invalid(findings, "policy.value-range", name, { value: text, minimum: show(minimum), maximum: show(maximum) });
    } else if (name[0] === "audit" && parsed % dayMs !== 0) invalid(findings, "policy.days", name, { value: text });
  }
}

/** Sizes of a rule may be as large as any, but must be countable. */
function checkRuleSizes(value: unknown, findings: Findings): void {
  for (const { path } of itemsAt(value, ["egress"])) {
    for (const name of ["maxRequest", "maxResponse"]) {
      const text = valueAt(value, [...path, name]);
      if (typeof text !== "string" || !/^[1-9]\d*(?:B|[KMGT]iB)$/u.test(text) || (parseSize(text) ?? Infinity) <= 2 ** 50) continue;
      invalid(findings, "policy.value-range", [...path, name], { value: text, minimum: "1B", maximum: showSize(2 ** 50) });
    }
  }
}

function checkUnique(value: unknown, [list, name]: readonly [string, string], findings: Findings): void {
  const seen = new Set<unknown>();
  for (const { path } of itemsAt(value, [list])) {
    const found = valueAt(value, [...path, name]);
    if (typeof found === "string" && seen.has(found)) invalid(findings, "policy.not-unique", [...path, name], { value: showValue(found) });
    seen.add(found);
  }
}

/** Only whoever keeps the system's or the user's own file opens a way out: no project, trusted or not, and no flag. INVARIANT I-15 */
function checkOutside(value: unknown, source: PolicySource, findings: Findings): void {
  const entries = itemsAt(value, ["outside"]);
  if (source.origin !== "system" && source.origin !== "user") {
    for (const key of ["allowUnsandboxed", "nestedNamespaces"]) {
      if (valueAt(value, [key]) === true) invalid(findings, "policy.outside-not-own", [key]);
    }
    for (const list of ["outside", "approvals"]) if (itemsAt(value, [list]).length > 0) invalid(findings, "policy.outside-not-own", [list]);
  }
  for (const { path } of entries) {
    const cwd = valueAt(value, [...path, "cwd"]);
    if (typeof cwd === "string") checkPath(cwd, [...path, "cwd"], findings);
    const program = valueAt(value, [...path, "program"]);
    const isPlain = typeof program !== "string" || (!program.endsWith("/") && !/\/(?:\.{0,2})(?:\/|$)/u.test(program));
    if (!isPlain) invalid(findings, "policy.outside-program", [...path, "program"], { value: showValue(program) });
    const environment = valueAt(value, [...path, "environment"]);
    for (const name of isRecord(environment) ? Object.keys(environment) : []) {
      if (matchesName("GLOVEBOX_*", name)) invalid(findings, "policy.environment-own", [...path, "environment", name], { name });
    }
  }
}

/** Who answers must be known to be who they say, and nobody on the way may read what is asked. */
function checkApprovalPlaces(value: unknown, findings: Findings): void {
  for (const { path } of itemsAt(value, ["approvals"])) {
    for (const { path: place, item } of itemsAt(value, [...path, "by"]))
      if (typeof item === "string" && !isWebhookPlace(item)) invalid(findings, "policy.approval-place", place, { value: showValue(item) });
    checkAuthorities(value, path, findings);
  }
}

/** The file lies where its owner keeps it, whatever project asks; and a URL without TLS has nobody to vouch for. INVARIANT I-14 */
function checkAuthorities(value: unknown, rule: KeyPath, findings: Findings): void {
  const path = [...rule, "ca"];
  const file = valueAt(value, path);
  if (typeof file !== "string") return;
  checkPath(file, path, findings);
  const parsed = parsePattern(file);
  if (parsed.kind === "literal" && parsed.path.base === "project")
    invalid(findings, "policy.approval-ca-relative", path, { value: showValue(file) });
  if (textsAt(value, [...rule, "by"]).every(({ text }) => !text.startsWith("https:")))
    findings.add({ code: "POLICY_KEY_INERT", situation: "policy.approval-ca-inert", path, values: {} });
}

export function checkValues(value: unknown, source: PolicySource, facts: PolicyFacts, findings: Findings): void {
  checkTexts(value, [], findings);
  checkPaths(value, findings);
  checkRoots(value, facts, findings);
  checkEnvironment(value, findings);
  checkRanges(value, findings);
  checkUnique(value, ["commands", "id"], findings);
  checkUnique(value, ["egress", "id"], findings);
  checkEgress(value, facts, findings);
  checkObserved(value, source, facts, findings);
  checkRuleSizes(value, findings);
  checkUnique(value, ["tests", "name"], findings);
  checkUnique(value, ["outside", "id"], findings);
  checkOutside(value, source, findings);
  checkUnique(value, ["approvals", "id"], findings);
  checkApprovalPlaces(value, findings);
  if (source.origin !== "system" && valueAt(value, ["floor"]) === true) invalid(findings, "policy.floor-not-system", ["floor"]);
  for (const { path } of itemsAt(value, ["tests"])) {
    const request = valueAt(value, [...path, "request"]);
    const connect = valueAt(request, ["connect"]);
    if (typeof connect === "string" && parseHostPort(connect) === undefined)
      invalid(findings, "policy.local-shape", [...path, "request", "connect"], { value: showValue(connect) });
    if (isRecord(request) && request["cwd"] !== undefined && request["argv"] === undefined) {
      invalid(findings, "policy.cwd-without-argv", [...path, "request", "cwd"]);
    }
  }
}
