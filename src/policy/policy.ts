// The policy room: documents in, decisions out. Pure: it opens no file, asks no clock and knows no language.
// It does not hold anything: what it decides about paths and limits is held by the boundary.
import path from "node:path";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { PolicyError } from "../contracts/policy-error.ts";
import type { CompiledPolicy, PolicyFacts, PolicyFormat, PolicyProblem, PolicySource } from "../contracts/policy-port.ts";
import type { PodSecurityReport } from "../contracts/pod-security.ts";
import type { ImportedPolicy, ImportFacts, ImportSource } from "../contracts/policy-import.ts";
import { buildPolicy } from "./build-policy.ts";
import type { OwnParts } from "./pod-security/oci-mounts.ts";
import type { JudgeOptions, SpecSource } from "./pod-security/judge-spec.ts";

export { egressDecider } from "./decide-egress.ts";
export { explainConnection } from "./explain-connection.ts";
export { explainPolicy } from "./explain-policy.ts";
export { namedPresets } from "./preset-layers.ts";
export { type ResolveOptions, resolvePreset } from "./presets/resolve-preset.ts";
export { openInside } from "./presets/open-inside.ts";
export { type CargoIndex, cargoIndexes } from "./presets/rust-preset.ts";
export { maximumSpecBytes } from "./pod-security/spec-format.ts";
export { matchesName, neverPassed, passedEnvironment } from "./environment-rules.ts";
export { judgePlace, type PlaceFacts } from "./judge-place.ts";
export { type PathVerdict, judgeRead, judgeWrite } from "./path-rules.ts";
export { policySchema } from "./schema-map.ts";

/**
 * The effective policy: built-in < system < user < project < flags. How layers combine: merge.ts; what an untrusted project (and
 * everything above a system file with `floor: true`) may not do: widening.ts; its canonical form: canonical-document.ts.
 * @throws PolicyError (POLICY_SYNTAX, POLICY_KEY_UNKNOWN, POLICY_KEY_UNSUPPORTED, POLICY_VALUE_INVALID, POLICY_WIDENS, POLICY_TEST_FAILED)
 * with every finding attached
 */
export function loadPolicy(sources: readonly PolicySource[], facts: PolicyFacts): CompiledPolicy {
  const { policy, problems } = buildPolicy(sources, facts);
  if (policy === undefined) throw new PolicyError(problems);
  return policy;
}

/** Every finding about one source, none thrown. @param below the sources it would be laid over: needed to know whether it widens */
export function checkPolicy(source: PolicySource, facts: PolicyFacts, below: readonly PolicySource[] = []): readonly PolicyProblem[] {
  return buildPolicy([...below, source], facts).problems;
}

const formats: ReadonlyMap<string, PolicyFormat> = new Map([
  [".yaml", "yaml"],
  [".yml", "yaml"],
  [".json", "json"],
  [".toml", "toml"],
]);

/** By the name's ending. @throws GloveboxError POLICY_UNREADABLE for any other */
export function formatOfFile(name: string): PolicyFormat {
  const format = formats.get(path.extname(name).toLowerCase());
  if (format === undefined) throw new GloveboxError("POLICY_UNREADABLE", "policy.format-unknown", { values: { file: name } });
  return format;
}

/** By the name's ending. @throws GloveboxError SPEC_UNREADABLE for any other */
export function formatOfSpec(name: string): "yaml" | "json" {
  const format = formats.get(path.extname(name).toLowerCase());
  if (format === undefined || format === "toml")
    throw new GloveboxError("SPEC_UNREADABLE", "pod-security.format", { values: { file: name } });
  return format;
}

/** Settings of another tool as a policy. Loaded when asked for: no run needs it. @throws PolicyError like import-policy.ts */
export async function importPolicy(source: ImportSource, facts: ImportFacts): Promise<ImportedPolicy> {
  const importers = await import("./importers/import-policy.ts");
  return importers.importPolicy(source, facts);
}

/** By the Pod Security Standards. Loaded when asked for, as importers are. @throws PolicyError SPEC_UNREADABLE */
export async function judgePodSecurity(source: SpecSource, options: JudgeOptions): Promise<PodSecurityReport> {
  const { judgeSpec } = await import("./pod-security/judge-spec.ts");
  return judgeSpec(source, options);
}

/**
 * The last look at runtime specs of our own. Loaded when asked for. @param parts see refuse-open-spec.ts
 * @returns what throws SPEC_TOO_OPEN for a spec that is more open than Restricted; it may be told more parts of that one spec
 */
export async function openSpecRefuser(parts: Partial<OwnParts>): Promise<(spec: unknown, more?: Partial<OwnParts>) => void> {
  const { refuseOpenSpec } = await import("./pod-security/refuse-open-spec.ts");
  const { noParts } = await import("./pod-security/oci-mounts.ts");
  return (spec, more) => refuseOpenSpec(spec, { ...noParts, ...parts, ...more });
}
