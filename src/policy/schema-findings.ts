// Checks a document against the closed schema and says each thing that is wrong in words that name the repair.
import type * as z from "zod";
import { policyDocumentSchema } from "../contracts/policy-document.ts";
import type { PolicyDocument } from "../contracts/policy-document.ts";
import { nearestName } from "../kit/nearest-name.ts";
import type { Finding, Findings } from "./findings.ts";
import type { KeyPath } from "./key-path.ts";
import { kindOf, showValue, valueAt } from "./plain-value.ts";
import { documentMap, type SchemaMap } from "./schema-map.ts";
import { nearestDuration, nearestSize } from "./units.ts";

/** More mistakes of one kind than anybody reads; keeps a hostile file cheap. */
const maximumFindings = 100;

type Issue = z.core.$ZodIssue;
/** A document that is being checked. */
interface Checked {
  readonly root: unknown;
  readonly map: SchemaMap;
}

type Values = Readonly<Record<string, string | number>>;

function invalid(situation: string, path: KeyPath, values: Values = {}): Finding {
  return { code: "POLICY_VALUE_INVALID", situation, path, values };
}

/** Two situations: without and with a suggestion. */
function withNearest([without, withOne]: readonly [string, string], path: KeyPath, values: Values, nearest: string | undefined): Finding {
  return nearest === undefined ? invalid(without, path, values) : invalid(withOne, path, { ...values, nearest });
}

export function unknownKey(path: KeyPath, name: string, map: SchemaMap = documentMap): Finding {
  const nearest = map.nearestKey(path, name);
  const situation = nearest === undefined ? "policy.key-unknown" : "policy.key-unknown-near";
  return { code: "POLICY_KEY_UNKNOWN", situation, path: [...path, name], values: nearest === undefined ? {} : { nearest } };
}

/** A size or a time that is not written as one. */
function unitFinding({ map }: Checked, path: KeyPath, value: unknown): Finding | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const title = map.titleAt(path);
  const shown = showValue(value);
  if (title === "Size")
    return withNearest(["policy.size-unit", "policy.size-unit-near"], path, { value: shown }, nearestSize(String(value)));
  if (title === "Duration")
    return withNearest(["policy.duration-unit", "policy.duration-unit-near"], path, { value: shown }, nearestDuration(String(value)));
  return undefined;
}

function missingKey(path: KeyPath): Finding {
  return invalid(path.length === 1 && path[0] === "apiVersion" ? "policy.version-missing" : "policy.key-missing", path);
}

function choiceFinding({ map }: Checked, path: KeyPath, value: unknown): Finding {
  if (value === undefined) return missingKey(path);
  const choices = map.knownChoices(path);
  const shown = showValue(value);
  return withNearest(
    ["policy.value-choice", "policy.value-choice-near"],
    path,
    { value: shown, choices: choices.join(", ") },
    nearestName(shown, choices),
  );
}

function typeFinding(checked: Checked, { path, expected }: { readonly path: KeyPath; readonly expected: string }, value: unknown): Finding {
  if (value === undefined) return missingKey(path);
  const words: Readonly<Record<string, string>> = {
    array: "list",
    object: "mapping",
    record: "mapping",
    int: "whole number",
    boolean: "true or false",
  };
  const wanted = words[expected] ?? expected;
  if (value === null) return invalid("policy.value-null", path, { expected: wanted });
  return unitFinding(checked, path, value) ?? invalid("policy.value-type", path, { found: kindOf(value), expected: wanted });
}

/** A value that fits none of several shapes: what is wrong with the shape that was begun. */
function unionFindings(issue: Issue & { readonly code: "invalid_union" }, path: KeyPath, checked: Checked): readonly Finding[] {
  const value = valueAt(checked.root, path);
  if (kindOf(value) !== "mapping") return [choiceFinding(checked, path, value)];
  const begun = issue.errors.find((issues) => issues.every((inner) => inner.path.length > 0 || inner.code === "unrecognized_keys"));
  return (begun ?? []).flatMap((inner) => findingsOf({ ...inner, path: [...path, ...inner.path] }, checked));
}

function customSituation(issue: Issue & { readonly code: "custom" }): string {
  const situation: unknown = issue.params?.["situation"];
  return typeof situation === "string" ? situation : "policy.value-invalid";
}

function findingsOf(issue: Issue, checked: Checked): readonly Finding[] {
  const path: KeyPath = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  const value = valueAt(checked.root, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.slice(0, maximumFindings).map((name) => unknownKey(path, name, checked.map));
    case "invalid_value":
      return [choiceFinding(checked, path, value)];
    case "invalid_type":
      return [typeFinding(checked, { path, expected: issue.expected }, value)];
    case "too_small":
      if (issue.minimum === 1 && ["string", "array"].includes(issue.origin)) return [invalid("policy.value-empty", path)];
      return [invalid("policy.value-too-small", path, { minimum: String(issue.minimum) })];
    case "too_big":
      return [invalid("policy.value-too-big", path, { maximum: String(issue.maximum) })];
    case "invalid_union":
      return unionFindings(issue, path, checked);
    case "invalid_key":
      return [
        invalid(path.includes("homeFiles") ? "policy.home-file-name" : "policy.environment-name", path, { name: String(path.at(-1)) }),
      ];
    case "invalid_format":
      return [
        unitFinding(checked, path, value) ??
          invalid("policy.value-format", path, {
            value: showValue(value),
            expected: checked.map.titleAt(path) || checked.map.patternAt(path),
          }),
      ];
    case "custom":
      return [invalid(customSituation(issue), path)];
    default:
      return [invalid("policy.value-invalid", path)];
  }
}

/** @returns what the schema makes of the value, or undefined after at least one finding */
export function checkAgainst<Output>(
  { schema, map }: { readonly schema: z.ZodType<Output>; readonly map: SchemaMap },
  value: unknown,
  findings: Findings,
): Output | undefined {
  const checked = schema.safeParse(value, { reportInput: false });
  if (checked.success) return checked.data;
  for (const issue of checked.error.issues.slice(0, maximumFindings))
    for (const finding of findingsOf(issue, { root: value, map })) findings.add(finding);
  if (findings.list().length === 0) findings.add(invalid("policy.value-invalid", []));
  return undefined;
}

/** The typed document, or undefined after at least one finding. */
export function checkSchema(value: unknown, findings: Findings): PolicyDocument | undefined {
  return checkAgainst({ schema: policyDocumentSchema(), map: documentMap }, value, findings);
}
