// All sources -> one compiled policy, or everything that is wrong: reads the layers, lays them over each other, checks ceilings and tests.
import type { Limits } from "../contracts/limits.ts";
import type { CompiledPolicy, PolicyFacts, PolicyLayer, PolicyProblem, PolicySource } from "../contracts/policy-port.ts";
import { narrowedApproval } from "./approval-mode.ts";
import { canonicalDocument, policyHash } from "./canonical-document.ts";
import { decideCommand } from "./command-rules.ts";
import { compileEgress } from "./compile-egress.ts";
import { spellLocalPlace } from "./egress-values.ts";
import { problemAt } from "./findings.ts";
import { decideOutside } from "./outside-rules.ts";
import type { KeyPath } from "./key-path.ts";
import { type LayerValues, type PolicyValues, builtInValues, fieldPaths } from "./layer-values.ts";
import { boundByProject, boundByTrusted, boundLists, mergeNarrowing, mergeTrusted, noBounds, type OpeningBounds } from "./merge.ts";
import { literalPath, resolvePath, showPattern } from "./path-pattern.ts";
import { valueAt } from "./plain-value.ts";
import { runPolicyTests } from "./policy-tests.ts";
import { type Layer, readLayer } from "./read-layer.ts";
import { allowedPlace, resolvedPaths } from "./resolved-paths.ts";
import { presetLayers, presetsInReach, resolvedPresets } from "./preset-layers.ts";
import { type OriginNotes, itemIdentity, noteOrigins, openOriginNotes, originOfItem, valueOrigins } from "./value-origins.ts";
import { showWidening } from "./show-widening.ts";
import { type Widening, findWidenings } from "./widening.ts";
import { leadsOutOfRoot, writeRootFault } from "./opened-roots.ts";

export type Building =
  | { readonly policy: CompiledPolicy; readonly problems: readonly [] }
  | { readonly policy: undefined; readonly problems: readonly [PolicyProblem, ...PolicyProblem[]] };

interface Merging {
  readonly facts: PolicyFacts;
  values: PolicyValues;
  /** What a system file with `floor: true` allows; nothing later may allow more. */
  ceiling: PolicyValues | undefined;
  bounds: OpeningBounds;
  readonly notes: OriginNotes;
  readonly problems: PolicyProblem[];
}

const rank: Readonly<Record<PolicyLayer, number>> = { "built-in": 0, system: 1, user: 2, project: 3, "project-trusted": 3, flags: 4 };

function isSpelled(field: Widening["field"], item: unknown, identity: string): boolean {
  if (field === "allowLocal" && typeof item === "string") return spellLocalPlace(item) === identity;
  const isPath = field === "allowRead" || field === "allowWrite";
  return isPath && typeof item === "string" ? showPattern(literalPath(item)) === identity : itemIdentity(item) === identity;
}

/** Where the author wrote the item. */
function placeOf({ document }: Layer, { field, item }: Widening): KeyPath {
  const path = fieldPaths[field];
  if (item === undefined) return path;
  const written = valueAt(document, path);
  return Array.isArray(written) ? [...path, written.findIndex((candidate) => isSpelled(field, candidate, item))] : [...path, item];
}

function reportWidenings(merging: Merging, layer: Layer, below: PolicyValues, situation: string): void {
  const problems = findWidenings(below, layer.values, merging.facts).map((widening) => {
    const values = showWidening(below, layer.values, widening);
    return problemAt(layer.place, { code: "POLICY_WIDENS", situation, path: placeOf(layer, widening), values });
  });
  merging.problems.push(...problems.toSorted((left, right) => left.line - right.line));
}

function addTrusted(merging: Merging, layer: Layer, lists: "replace" | "add"): void {
  if (merging.ceiling !== undefined) reportWidenings(merging, layer, merging.ceiling, "policy.widens-floor");
  const merged = mergeTrusted(merging.values, layer.values, lists);
  const { ceiling } = merging;
  merging.values = ceiling === undefined ? merged : { ...merged, approval: narrowedApproval(ceiling.approval, merged.approval) };
  merging.bounds = boundByTrusted(merging.bounds, layer.values, merging.values);
}

/** What the presets of a layer open besides, whatever lists the layer itself gives. */
function openings({ values }: Layer): LayerValues {
  const { allowRead, allowLocal } = values;
  return { ...(allowRead === undefined ? {} : { allowRead }), ...(allowLocal === undefined ? {} : { allowLocal }) };
}

/** A layer's presets lie below it, so that it has the last word about a rule or a variable; their lists are added to its own. */
function addLayer(merging: Merging, layer: Layer): void {
  const { origin, lists = "replace" } = layer.source;
  if (origin === "project") {
    reportWidenings(merging, layer, merging.values, "policy.widens-project");
    merging.bounds = boundByProject(merging.bounds, merging.values, layer.values);
    merging.values = mergeNarrowing(merging.values, layer.values);
  } else {
    const presets = presetLayers(layer, merging);
    for (const { layer: preset } of presets) addTrusted(merging, preset, "add");
    addTrusted(merging, layer, lists);
    for (const { layer: preset } of presets) addTrusted(merging, { ...preset, values: openings(preset) }, "add");
    for (const { layer: preset, name } of presets) noteOrigins(merging.notes, preset.values, `preset ${name}`);
  }
  if (merging.values.floor) merging.ceiling ??= merging.values;
  noteOrigins(merging.notes, layer.values, origin);
}

const projectFaults: Readonly<Record<string, string>> = {
  "policy.write-root-home": "policy.project-home",
  "policy.write-root-own": "policy.project-own",
  "policy.write-root-system": "policy.project-system",
  "policy.write-root-trusted": "policy.project-trusted",
};

/** The built-in write root `.` is the project and no file's line: what is wrong is where the caller stands, so no place is named. */
function reportBuiltInRoots(merging: Merging): void {
  for (const text of merging.values.allowWrite) {
    if (originOfItem(merging.notes, "allowWrite", text) !== "built-in") continue;
    const root = allowedPlace(text, merging.facts);
    const situation = writeRootFault(root, merging.facts);
    if (situation === undefined) continue;
    const place = { label: "", lines: new Map<string, number>() };
    const finding = { code: "POLICY_VALUE_INVALID" as const, situation: projectFaults[situation] ?? situation, path: [], values: { root } };
    merging.problems.push(problemAt(place, finding));
  }
}

/** An allowed path inside a write root may not lead out of it: its link may be what an earlier command left there. */
function reportLinksOutOfRoots(merging: Merging, layers: readonly Layer[]): void {
  const { facts, values, notes } = merging;
  const absolute = (text: string): string => resolvePath(literalPath(text), facts);
  const roots = values.allowWrite.map(absolute);
  for (const field of ["allowRead", "allowWrite"] as const) {
    for (const text of values[field]) {
      if (!leadsOutOfRoot(absolute(text), roots, facts)) continue;
      const origin = originOfItem(notes, field, text);
      const layer = layers.findLast(({ source }) => source.origin === origin);
      const place = layer?.place ?? { label: origin, lines: new Map<string, number>() };
      const path = layer === undefined ? fieldPaths[field] : placeOf(layer, { field, item: text });
      const target = allowedPlace(text, facts);
      merging.problems.push(
        problemAt(place, { code: "POLICY_VALUE_INVALID", situation: "policy.link-out-of-root", path, values: { value: text, target } }),
      );
    }
  }
}

/** What a command may write must not say who vouches for an answer. INVARIANT I-12 */
function reportWritableAuthorities(merging: Merging, layers: readonly Layer[]): void {
  const { facts, values } = merging;
  const roots = values.allowWrite.map((text) => allowedPlace(text, facts));
  for (const { id, ca } of values.approvals) {
    const file = ca === undefined ? undefined : allowedPlace(ca, facts);
    const root = file === undefined ? undefined : roots.find((above) => file.startsWith(`${above}/`));
    const layer = layers.findLast((candidate) => candidate.values.approvals?.some((rule) => rule.id === id));
    if (file === undefined || root === undefined || layer === undefined) continue;
    const written = valueAt(layer.document, fieldPaths.approvals);
    const index = Array.isArray(written) ? written.findIndex((rule) => valueAt(rule, ["id"]) === id) : 0;
    const path = [...fieldPaths.approvals, index, "ca"];
    merging.problems.push(
      problemAt(layer.place, {
        code: "POLICY_VALUE_INVALID",
        situation: "policy.approval-ca-writable",
        path,
        values: { value: file, root },
      }),
    );
  }
}

const containerFields = ["runtime", "template", "artifacts", "artifactBytes", "expiresMs"] as const;

/** What only containers have means nothing elsewhere: it must not look as if it did. INVARIANT I-14 */
function reportInertContainer(merging: Merging, layers: readonly Layer[]): void {
  if (merging.values.boundary === "container") return;
  for (const { values, place } of layers) {
    for (const field of containerFields) {
      if (values[field] === undefined) continue;
      const finding = { code: "POLICY_KEY_INERT" as const, situation: "policy.container-inert", path: fieldPaths[field], values: {} };
      merging.problems.push(problemAt(place, finding));
    }
  }
}

function limitsOf(values: PolicyValues): Limits {
  const { cpuMs, cpuCores, memoryBytes, processes, diskBytes, openFiles, outputBytes, returnedBytes, wallMs, denials } = values;
  return { cpuMs, cpuCores, memoryBytes, processes, diskBytes, openFiles, outputBytes, returnedBytes, wallMs, denials };
}

function compile({ values, notes, bounds, facts }: Merging, layers: readonly Layer[]): CompiledPolicy {
  const document = canonicalDocument(values);
  const { commands, approval } = values;
  return {
    hash: policyHash(values),
    document,
    origins: ["built-in", ...new Set(layers.map((layer) => layer.source.origin))],
    valueOrigins: valueOrigins(document, notes),
    boundary: values.boundary === "container" ? "container" : "process",
    runtime: values.runtime,
    template: values.template === "" ? undefined : values.template,
    paths: resolvedPaths(values, facts, boundLists(bounds)),
    environment: { pass: values.pass, set: values.set, homeFiles: values.homeFiles },
    presets: resolvedPresets(facts, values.presets),
    caches: values.caches,
    limits: limitsOf(values),
    approval,
    egress: compileEgress(values),
    allowUnsandboxed: values.allowUnsandboxed,
    nestedNamespaces: values.nestedNamespaces,
    outside: values.outside.map((entry) => ({ ...entry, cwd: resolvePath(literalPath(entry.cwd ?? "/"), facts) })),
    approvals: values.approvals.map(({ ca, ...rule }) => (ca === undefined ? rule : { ...rule, ca: allowedPlace(ca, facts) })),
    pendingApprovals: values.pendingApprovals,
    artifacts: { count: values.artifacts, bytes: values.artifactBytes },
    containerExpiresMs: values.expiresMs,
    retentionDays: values.retentionDays,
    auditArgv: values.auditArgv,
    decide: (request) => (request.outside === undefined ? decideCommand(commands, approval, request) : decideOutside(values, request)),
  };
}

function failure([first, ...rest]: readonly PolicyProblem[]): Building | undefined {
  return first === undefined ? undefined : { policy: undefined, problems: [first, ...rest] };
}

function finish(merging: Merging, layers: readonly Layer[]): Building {
  const refused = failure(merging.problems);
  if (refused !== undefined) return refused;
  const policy = compile(merging, layers);
  const tested = failure(presetsInReach(policy, layers)) ?? failure(runPolicyTests(layers, policy, merging.facts));
  return tested ?? { policy, problems: [] };
}

/** Never throws for what a source holds. Sources of one strength are applied in the order given. */
export function buildPolicy(sources: readonly PolicySource[], facts: PolicyFacts): Building {
  const readings = sources.toSorted((left, right) => rank[left.origin] - rank[right.origin]).map((source) => readLayer(source, facts));
  const unread = failure(readings.flatMap((reading) => [...reading.problems]));
  if (unread !== undefined) return unread;
  const layers = readings.flatMap(({ layer }) => (layer === undefined ? [] : [layer]));
  const merging: Merging = { facts, values: builtInValues, ceiling: undefined, bounds: noBounds, notes: openOriginNotes(), problems: [] };
  for (const layer of layers) addLayer(merging, layer);
  reportBuiltInRoots(merging);
  reportInertContainer(merging, layers);
  reportWritableAuthorities(merging, layers);
  // What widens is already refused, and its place may not be in the merged values.
  if (merging.problems.length === 0) reportLinksOutOfRoots(merging, layers);
  return finish(merging, layers);
}
