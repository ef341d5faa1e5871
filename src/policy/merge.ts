// Lays one layer over the values below it. Two ways: a trusted layer speaks with the user's strength, an untrusted project only narrows.
import type { OutsideEntry } from "../contracts/policy-document.ts";
import { narrowedApproval } from "./approval-mode.ts";
import { type LayerValues, limitFields, type PolicyValues, sortedBy, sortedOnce } from "./layer-values.ts";

/** What accumulates whoever speaks: denies and tests; and what permits nothing. */
function common(
  base: PolicyValues,
  layer: LayerValues,
): Pick<PolicyValues, "name" | "description" | "denyRead" | "denyWrite" | "protectAdd" | "tests"> {
  return {
    name: layer.name ?? base.name,
    description: layer.description ?? base.description,
    denyRead: sortedOnce([...base.denyRead, ...(layer.denyRead ?? [])]),
    denyWrite: sortedOnce([...base.denyWrite, ...(layer.denyWrite ?? [])]),
    protectAdd: sortedOnce([...base.protectAdd, ...(layer.protectAdd ?? [])]),
    tests: sortedBy([...base.tests, ...(layer.tests ?? [])], (test) => test.name),
  };
}

/** By id; a later rule replaces an earlier one. */
function mergeRules<Rule extends { readonly id: string }>(rules: readonly Rule[]): readonly Rule[] {
  return sortedBy([...new Map(rules.map((rule) => [rule.id, rule])).values()], (rule) => rule.id);
}

function mergeEntries(entries: readonly OutsideEntry[]): readonly OutsideEntry[] {
  return sortedBy([...new Map(entries.map((entry) => [entry.id, entry])).values()], (entry) => entry.id);
}

/**
 * System file, user file, trusted project file, flags.
 * - allowRead, allowWrite, caches, pass, allowLocal: a list that is given is the whole list (`[]` allows nothing); with `lists: "add"` it is added;
 * - denyRead, denyWrite, protect.add, tests, acceptRisk: added; nothing undoes a deny of a weaker layer;
 * - presets: added; set, homeFiles: by name; commands, egress, outside, approvals: by id; everything else: the stronger value.
 */
export function mergeTrusted(base: PolicyValues, layer: LayerValues, lists: "replace" | "add"): PolicyValues {
  const allow = <Item extends string>(below: readonly Item[], given: readonly Item[] | undefined): readonly Item[] => {
    if (given === undefined) return below;
    return lists === "replace" ? given : [...new Set([...below, ...given])].toSorted();
  };
  return {
    ...base,
    ...layer,
    ...common(base, layer),
    floor: base.floor || (layer.floor ?? false),
    allowRead: allow(base.allowRead, layer.allowRead),
    allowWrite: allow(base.allowWrite, layer.allowWrite),
    caches: allow(base.caches, layer.caches),
    pass: allow(base.pass, layer.pass),
    set: { ...base.set, ...layer.set },
    homeFiles: { ...base.homeFiles, ...layer.homeFiles },
    presets: [...new Set([...base.presets, ...(layer.presets ?? [])])],
    commands: mergeRules([...base.commands, ...(layer.commands ?? [])]),
    egress: mergeRules([...base.egress, ...(layer.egress ?? [])]),
    allowLocal: allow(base.allowLocal, layer.allowLocal),
    outside: mergeEntries([...base.outside, ...(layer.outside ?? [])]),
    approvals: mergeRules([...base.approvals, ...(layer.approvals ?? [])]),
    acceptRisk: sortedBy([...base.acceptRisk, ...(layer.acceptRisk ?? [])], ({ what }) => what),
  };
}

/**
 * A project file that nobody trusted, after `findWidenings` found nothing in it: lists that are given replace (all their items are
 * covered), limits take the minimum, rules and denies are added, the rest stays as it is below.
 */
export function mergeNarrowing(base: PolicyValues, layer: LayerValues): PolicyValues {
  const least = Object.fromEntries(limitFields.map((field) => [field, Math.min(base[field], layer[field] ?? base[field])]));
  return {
    ...base,
    ...common(base, layer),
    boundary: layer.boundary ?? base.boundary,
    strict: base.strict || (layer.strict ?? false),
    // Any other change was found to widen.
    approval: layer.approval === undefined ? base.approval : narrowedApproval(base.approval, layer.approval),
    allowUnsandboxed: base.allowUnsandboxed && (layer.allowUnsandboxed ?? true),
    nestedNamespaces: base.nestedNamespaces && (layer.nestedNamespaces ?? true),
    allowRead: layer.allowRead ?? base.allowRead,
    allowWrite: layer.allowWrite ?? base.allowWrite,
    caches: layer.caches ?? base.caches,
    pass: layer.pass ?? base.pass,
    ...least,
    commands: mergeRules([...(layer.commands ?? []), ...base.commands]),
    egress: mergeRules([...(layer.egress ?? []), ...base.egress]),
    allowLocal: layer.allowLocal ?? base.allowLocal,
  };
}

/** What may be opened of the boundary's default view: each list must open a place, or it stays hidden although an entry names it. */
export interface OpeningBounds {
  /** Of a floor: nobody adds to it. */
  readonly floor: readonly string[] | undefined;
  /** One for each untrusted project: what was allowed below it, and what trusted layers above it allow. */
  readonly narrowed: readonly (readonly string[])[];
}

export const noBounds: OpeningBounds = { floor: undefined, narrowed: [] };

export function boundLists({ floor, narrowed }: OpeningBounds): readonly (readonly string[])[] {
  return floor === undefined ? narrowed : [floor, ...narrowed];
}

const allowed = ({ allowRead = [], allowWrite = [] }: LayerValues): readonly string[] => [...allowRead, ...allowWrite];

/** @param below the values before the project's file */
export function boundByProject(bounds: OpeningBounds, below: PolicyValues, layer: LayerValues): OpeningBounds {
  // A file that gives no list leaves the lists to those who wrote them.
  return allowed(layer).length === 0 ? bounds : { ...bounds, narrowed: [...bounds.narrowed, allowed(below)] };
}

/** @param values what holds with the trusted layer */
export function boundByTrusted(bounds: OpeningBounds, layer: LayerValues, values: PolicyValues): OpeningBounds {
  return {
    floor: bounds.floor ?? (values.floor ? allowed(values) : undefined),
    narrowed: bounds.narrowed.map((list) => [...list, ...allowed(layer)]),
  };
}
