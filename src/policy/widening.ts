// Names every value of a layer that would allow more than the values below it. INVARIANT I-15
import type { Verdict } from "../contracts/decision.ts";
import type { PathPolicy } from "../contracts/boundary.ts";
import { isListedBelow } from "../contracts/listed-names.ts";
import type { PolicyFacts } from "../contracts/policy-port.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { narrowsApproval } from "./approval-mode.ts";
import { coversName } from "./environment-rules.ts";
import { isObserved } from "./observed-rules.ts";
import { type Field, type LayerValues, limitFields, type PolicyValues } from "./layer-values.ts";
import { isWithin, judgeRead, judgeWrite } from "./path-rules.ts";
import { allowedPlace, resolvedPaths } from "./resolved-paths.ts";

export interface Widening {
  readonly field: Field;
  /** The item's identity in a list or a map; undefined: the value itself. */
  readonly item: string | undefined;
}

const sameOnly = ["boundary", "runtime", "template", "auditArgv", "retentionDays"] as const;

/** `process` is one of what `auto` may choose. */
function isNarrower(field: Field, base: PolicyValues, layer: LayerValues): boolean {
  return field === "boundary" && base.boundary === "auto" && layer.boundary === "process";
}

function scalarWidenings(base: PolicyValues, layer: LayerValues): readonly Field[] {
  const fields: Field[] = sameOnly.filter(
    (field) => layer[field] !== undefined && layer[field] !== base[field] && !isNarrower(field, base, layer),
  );
  if (layer.approval !== undefined && !narrowsApproval(base.approval, layer.approval)) fields.push("approval");
  if (layer.allowUnsandboxed === true && !base.allowUnsandboxed) fields.push("allowUnsandboxed");
  if (layer.nestedNamespaces === true && !base.nestedNamespaces) fields.push("nestedNamespaces");
  if (layer.strict === false && base.strict) fields.push("strict");
  return [...fields, ...limitFields.filter((field) => (layer[field] ?? 0) > base[field])];
}

interface Rule {
  readonly id: string;
  readonly verdict: Verdict;
}

/** @param looser verdicts that may let happen what no rule decides now */
function ruleWidens(rules: readonly Rule[], rule: Rule, looser: readonly Verdict[]): boolean {
  const same = rules.find(({ id }) => id === rule.id);
  return same === undefined ? looser.includes(rule.verdict) : canonicalJson(same) !== canonicalJson(rule);
}

/** Where what no rule decides is denied, a question is more than nothing. */
const loosening = (isDenied: boolean): readonly Verdict[] => (isDenied ? ["allow", "ask"] : ["allow"]);
const looseningCommands = ({ approval }: PolicyValues): readonly Verdict[] => loosening(approval === "listed");
const looseningConnections = ({ approval }: PolicyValues): readonly Verdict[] => loosening(approval !== "regular");

interface Entry {
  readonly id: string;
}

/** Ids of those that the base does not have as they are. */
function entriesThatWiden(base: readonly Entry[], given: readonly Entry[]): readonly string[] {
  const isInBase = (entry: Entry): boolean => base.some((same) => same.id === entry.id && canonicalJson(same) === canonicalJson(entry));
  return given.filter((entry) => !isInBase(entry)).map(({ id }) => id);
}

/** Lists of which only items of the base may be repeated. */
const memberFields = ["presets", "caches", "allowLocal"] as const;

function membersBeyond(items: readonly string[] = [], base: readonly string[] = []): readonly string[] {
  return items.filter((item) => !base.includes(item));
}

/**
 * Whether a write root there would let be written what may not be now. One that bears a listed name, or lies below one, opens what the root
 * around it keeps: nobody makes anything below `.vscode`, unless that is a root itself.
 */
function writeRootWidens(paths: PathPolicy, place: string): boolean {
  if (judgeWrite(paths, place) !== "allow") return true;
  return paths.allowWrite.filter((root) => isWithin(place, root)).every((root) => isListedBelow(root, place, paths.protectedNames));
}

/**
 * - allowRead, allowWrite: the place must already be allowed by the base's rules (a place that only the default view shows is not), and a write root opens no listed name;
 * - pass: covered by a name of the base; set: equal to the base's own value; limits: not above; approval: not looser;
 * - commands, egress: no new `allow`, nor a rule that only looks (nor `ask`, where a command or connection that no rule decides is denied), no rule of the base changed under its id;
 * - allowLocal: a place of the base; presets, caches: one that the base names;
 * - allowUnsandboxed, nestedNamespaces: not opened; outside, approvals: no entry that the base does not have as it is;
 * - strict: never off where it is on;
 * - boundary: equal, or one that `auto` may choose; runtime, template, audit: equal, since neither direction is plainly narrower.
 * Denies, tests, names and descriptions never widen.
 */
export function findWidenings(base: PolicyValues, layer: LayerValues, facts: PolicyFacts): readonly Widening[] {
  const paths = resolvedPaths(base, facts);
  const items = (field: Field, widening: readonly string[]): readonly Widening[] => widening.map((item) => ({ field, item }));
  const setWidens = (name: string, value: string): boolean => !Object.hasOwn(base.set, name) || base.set[name] !== value;
  return [
    ...scalarWidenings(base, layer).map((field) => ({ field, item: undefined })),
    ...items(
      "allowRead",
      (layer.allowRead ?? []).filter((text) => judgeRead(paths, allowedPlace(text, facts)) !== "allow"),
    ),
    ...items(
      "allowWrite",
      (layer.allowWrite ?? []).filter((text) => writeRootWidens(paths, allowedPlace(text, facts))),
    ),
    ...items(
      "pass",
      (layer.pass ?? []).filter((inner) => !base.pass.some((outer) => coversName(outer, inner))),
    ),
    ...items(
      "set",
      Object.entries(layer.set ?? {}).flatMap(([name, value]) => (setWidens(name, value) ? [name] : [])),
    ),
    ...items(
      "homeFiles",
      Object.entries(layer.homeFiles ?? {}).flatMap(([name, text]) => (base.homeFiles[name] === text ? [] : [name])),
    ),
    ...memberFields.flatMap((field) => items(field, membersBeyond(layer[field], base[field]))),
    ...items(
      "commands",
      (layer.commands ?? []).filter((rule) => ruleWidens(base.commands, rule, looseningCommands(base))).map(({ id }) => id),
    ),
    ...items(
      "egress",
      (layer.egress ?? [])
        .filter((rule) => isObserved(rule) || ruleWidens(base.egress, rule, looseningConnections(base)))
        .map(({ id }) => id),
    ),
    ...(["outside", "approvals"] as const).flatMap((field) => items(field, entriesThatWiden(base[field], layer[field] ?? []))),
  ];
}
