// The presets that layers name, as layers of their own. What a preset means was found out elsewhere and is handed in as a fact.
import type { PresetName } from "../contracts/policy-document.ts";
import type { CompiledPolicy, PolicyFacts, PolicyProblem, PolicySource } from "../contracts/policy-port.ts";
import type { PresetResolution, ResolvedPreset } from "../contracts/preset.ts";
import { problemAt } from "./findings.ts";
import { judgeWrite } from "./path-rules.ts";
import { type Layer, readLayer } from "./read-layer.ts";

/** An untrusted project names no preset of its own: it may repeat one that somebody else chose. */
const isTrusted = ({ origin }: PolicySource): boolean => origin !== "project";

/** The presets whose meaning `loadPolicy` needs as a fact. A source that cannot be read names none: loading it says why. */
export function namedPresets(sources: readonly PolicySource[], facts: PolicyFacts): readonly PresetName[] {
  const candidates = sources.filter((source) => isTrusted(source) && Buffer.from(source.text).includes("presets"));
  const named = candidates.flatMap((source) => readLayer(source, facts).layer?.values.presets ?? []);
  return [...new Set(named)];
}

export function resolvedPresets({ presets }: PolicyFacts, names: readonly PresetName[]): readonly ResolvedPreset[] {
  return names.flatMap((name) => {
    const found = presets?.get(name);
    return found === undefined || "code" in found ? [] : [found];
  });
}

interface Reporting {
  readonly facts: PolicyFacts;
  readonly problems: PolicyProblem[];
}

/** The layers that a layer's presets are; what keeps one from being that is reported at the place that names it. */
export function presetLayers(
  layer: Layer,
  { facts, problems }: Reporting,
): readonly { readonly name: PresetName; readonly layer: Layer }[] {
  const named = layer.document.presets ?? [];
  return named.flatMap((name, index) => {
    if (named.indexOf(name) !== index) return [];
    const path = ["presets", index];
    const found: PresetResolution = facts.presets?.get(name) ?? {
      name,
      code: "POLICY_KEY_INERT",
      situation: "preset.not-resolved",
      values: {},
    };
    if ("code" in found) {
      const { code, situation, values } = found;
      problems.push(problemAt(layer.place, { code, situation, path, values: { preset: name, ...values } }));
      return [];
    }
    const { origin } = layer.source;
    const text = JSON.stringify(found.fragment);
    const reading = readLayer({ origin, label: `preset ${name}`, format: "json", text, lists: "add" }, facts);
    problems.push(...reading.problems);
    return reading.layer === undefined ? [] : [{ name, layer: reading.layer }];
  });
}

/**
 * What a preset follows from may not lie where the task writes: it would decide what the next run may do. INVARIANT I-15
 * @param policy with what the presets opened
 */
export function presetsInReach({ presets, paths }: CompiledPolicy, layers: readonly Layer[]): readonly PolicyProblem[] {
  return presets.flatMap(({ name, decidedBy }) => {
    const file = decidedBy.find((path) => judgeWrite(paths, path) === "allow");
    const layer = layers.findLast(({ document }) => document.presets?.includes(name) ?? false);
    if (file === undefined || layer === undefined) return [];
    const path = ["presets", layer.document.presets?.indexOf(name) ?? 0];
    const values = { preset: name, file };
    return [problemAt(layer.place, { code: "POLICY_VALUE_INVALID", situation: "preset.decided-in-root", path, values })];
  });
}
