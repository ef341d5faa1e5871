// The canonical form of a policy and its hash. FROZEN: a change of one byte changes every hash; test/vectors/policy/hash.json holds it.
import { type Digest, digestSchema } from "../contracts/ids.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { sha256Digest } from "../kit/digest.ts";
import { spellApproval } from "./approval-mode.ts";
import { type PolicyValues, dayMs } from "./layer-values.ts";
import { showDuration, showSize } from "./units.ts";

function environmentOf({ pass, set, homeFiles }: PolicyValues): Readonly<Record<string, unknown>> {
  return { pass, set, ...(Object.keys(homeFiles).length === 0 ? {} : { homeFiles }), fakeEnvFiles: false };
}

/** What only containers have is younger than the frozen form: there only where it means something, so that no hash from before changes. */
function boundaryOf(values: PolicyValues): Readonly<Record<string, unknown>> {
  const { boundary, runtime, template, artifacts, artifactBytes, expiresMs } = values;
  if (boundary !== "container") return { boundary };
  const named = template === "" ? {} : { template };
  const kept = { artifacts, artifactBytes: showSize(artifactBytes), expires: showDuration(expiresMs) };
  return { boundary, container: { runtime, ...named, ...kept } };
}

/**
 * The policy document with every default filled in:
 * - paths stay relative to home and project (`~/x`, `./x`), so one document has one hash on every machine;
 * - sizes and times are texts with the largest unit that divides exactly (retention: days); lists whose order means nothing are sorted, each item once;
 * - keys that are not built are absent under `limits` and `audit.treeHead`, and elsewhere hold the one value that is accepted;
 * - presets are resolved: what they mean stands in the other keys, so that the document is the same wherever it is read;
 * - an empty `metadata.description`, an empty `environment.homeFiles` and an empty `reason` are left out.
 */
export function canonicalDocument(values: PolicyValues): Readonly<Record<string, unknown>> {
  return {
    apiVersion: "glovebox/v1",
    metadata: { name: values.name, ...(values.description === "" ? {} : { description: values.description }) },
    floor: values.floor,
    extends: [],
    presets: [],
    ...boundaryOf(values),
    approval: spellApproval(values.approval),
    uid: "auto",
    allowUnsandboxed: values.allowUnsandboxed,
    // Younger than the frozen form: there only when it opens something, so that no hash from before changes.
    ...(values.nestedNamespaces ? { nestedNamespaces: true } : {}),
    outside: values.outside,
    acceptRisk: values.acceptRisk,
    filesystem: {
      readDefault: "system",
      allowRead: values.allowRead,
      denyRead: values.denyRead,
      allowWrite: values.allowWrite,
      denyWrite: values.denyWrite,
      // As `nestedNamespaces`.
      ...(values.caches.length === 0 ? {} : { caches: values.caches }),
      protect: { add: values.protectAdd },
      strict: values.strict,
    },
    environment: environmentOf(values),
    limits: {
      cpuTime: showDuration(values.cpuMs),
      cpuCores: values.cpuCores,
      memory: showSize(values.memoryBytes),
      processes: values.processes,
      disk: showSize(values.diskBytes),
      openFiles: values.openFiles,
      output: showSize(values.outputBytes),
      returned: showSize(values.returnedBytes),
      pendingApprovals: values.pendingApprovals,
      egressBytes: showSize(values.egressBytes),
      egressConnections: values.egressConnections,
      wall: showDuration(values.wallMs),
      // As `nestedNamespaces`.
      ...(Number.isFinite(values.denials) ? { denialsBeforeStop: values.denials } : {}),
    },
    commands: values.commands,
    egress: values.egress,
    allowLocal: values.allowLocal,
    browser: [],
    credentials: [],
    approvals: values.approvals,
    audit: { argv: values.auditArgv, env: "names", retention: showDuration(values.retentionDays * dayMs), anchors: [] },
    tests: values.tests,
  };
}

/** RFC 8785 text of the canonical document. */
export function canonicalText(values: PolicyValues): string {
  return canonicalJson(canonicalDocument(values));
}

/** `sha256:` over the UTF-8 bytes of the canonical text. */
export function policyHash(values: PolicyValues): Digest {
  return digestSchema.parse(sha256Digest(canonicalText(values)));
}
