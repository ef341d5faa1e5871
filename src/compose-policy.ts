// The policy that holds for a project, as composed: documents, facts of this machine and what presets mean here. Part of compose.ts, and used by it alone;
// what only a boundary knows is handed in.
import { statSync } from "node:fs";
import path from "node:path";
import {
  canKeepCaches,
  findProjectPolicy,
  gatherPolicySources,
  isTrusted,
  learnPreset,
  pinTrust,
  type PolicyPlaces,
  prepareState,
  presetMachine,
  readNamedPolicy,
  readNamedSpec,
  refuseWritablePolicy,
  type StateLayout,
} from "./broker/broker.ts";
import type { HostUser } from "./contracts/boundary.ts";
import type { Clock } from "./contracts/clock.ts";
import type { PolicySelection, TrustedPolicy } from "./contracts/door.ts";
import { GloveboxError } from "./contracts/glovebox-error.ts";
import type { PodSecurityReport, PodSecurityRequest } from "./contracts/pod-security.ts";
import type { ImportedPolicy, ImportFacts, PolicyImportRequest } from "./contracts/policy-import.ts";
import type { CompiledPolicy, PolicyFacts, PolicyProblem, PolicySource } from "./contracts/policy-port.ts";
import { canonicalPath } from "./kit/canonical-path.ts";
import {
  checkPolicy,
  formatOfFile,
  formatOfSpec,
  importPolicy,
  judgePodSecurity,
  loadPolicy,
  maximumSpecBytes,
  namedPresets,
} from "./policy/policy.ts";

export interface PolicyLoaderParts {
  readonly user: HostUser;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly layout: StateLayout;
  readonly places: PolicyPlaces;
  /** Whether commands see `file` without a rule that allows it. */
  readonly isShown: (file: string) => boolean;
  /** Where the home lies for commands. */
  readonly homeInside: string;
  readonly clock: Pick<Clock, "wallMs">;
}

export function policyPlaces({ home, uid }: HostUser): PolicyPlaces {
  return { systemDirectory: "/etc/glovebox", userDirectory: path.join(home, ".config/glovebox"), uid };
}

/** The list of public suffixes takes longer to load than everything else: only for documents that may name hosts. */
async function suffixFact(sources: readonly PolicySource[]): Promise<Pick<PolicyFacts, "isPublicSuffix">> {
  return sources.some(({ text }) => Buffer.from(text).includes("hosts")) ? publicSuffixes() : {};
}

async function publicSuffixes(): Promise<Required<Pick<PolicyFacts, "isPublicSuffix">>> {
  const { getPublicSuffix } = await import("tldts");
  return { isPublicSuffix: (name) => getPublicSuffix(name, { allowPrivateDomains: true }) === name };
}

export interface PolicyLoader {
  /** The documents that hold for a project, weakest first. */
  readonly sources: (selection: PolicySelection) => Promise<readonly PolicySource[]>;
  /** @param ownProject where the caller stands, when the policy is to hold for another place */
  readonly load: (sources: readonly PolicySource[], projectDirectory: string, ownProject?: string) => Promise<CompiledPolicy>;
  readonly checkFile: (file: string, projectDirectory: string) => Promise<readonly PolicyProblem[]>;
  readonly trust: (projectDirectory: string) => Promise<TrustedPolicy>;
  readonly importSettings: (request: PolicyImportRequest) => Promise<ImportedPolicy>;
}

async function factsFor(parts: PolicyLoaderParts, projectDirectory: string, sources: readonly PolicySource[]): Promise<PolicyFacts> {
  const { user, layout, places } = parts;
  // The installation is not among them: it may be the project (somebody develops Glovebox), and then the boundary keeps it read-only.
  const protectedPaths = [layout.state, layout.runtime, places.userDirectory].map(canonicalPath);
  return { home: user.home, nowMs: parts.clock.wallMs(), projectDirectory, canonicalPath, protectedPaths, ...(await suffixFact(sources)) };
}

/** Adds what the presets of these sources mean here. @param projectDirectory whose programs and files decide nothing */
async function withPresets(
  { user, environment, isShown, homeInside, layout }: PolicyLoaderParts,
  facts: PolicyFacts,
  { sources, projectDirectory }: { readonly sources: readonly PolicySource[]; readonly projectDirectory: string },
): Promise<PolicyFacts> {
  const keepsCaches = canKeepCaches(layout.cache, user.uid);
  const learnt = namedPresets(sources, facts).map(async (name) => {
    const machine = presetMachine({ home: user.home, projectDirectory, environment, isShown });
    return [name, await learnPreset(name, machine, { privateHome: homeInside, keepsCaches })] as const;
  });
  return { ...facts, presets: new Map(await Promise.all(learnt)) };
}

async function trustProject({ layout, user }: PolicyLoaderParts, projectDirectory: string): Promise<TrustedPolicy> {
  const found = await findProjectPolicy(projectDirectory);
  if (found === undefined) {
    throw new GloveboxError("USAGE_INVALID", "policy-files.no-project-policy", { values: { directory: projectDirectory } });
  }
  prepareState(layout, user.uid);
  await pinTrust(layout.trustFile, found);
  return { file: found.file, digest: found.digest };
}

const placeKind: ImportFacts["placeKind"] = (absolute) => {
  const found = statSync(absolute, { throwIfNoEntry: false });
  if (found === undefined) return "missing";
  return found.isDirectory() ? "directory" : "other";
};

async function importFile(parts: PolicyLoaderParts, request: PolicyImportRequest): Promise<ImportedPolicy> {
  const { from, file, projectDirectory, base, orElse } = request;
  const text = await readNamedPolicy(file).then(
    ({ bytes }) => bytes,
    (error: unknown) => {
      // Only a file that is not there: one that is and cannot be read may hold rules that forbid.
      if (orElse !== undefined && error instanceof GloveboxError && error.situation === "policy-files.missing") return orElse;
      throw error;
    },
  );
  const facts = { ...(await factsFor(parts, projectDirectory, [])), ...(await publicSuffixes()), placeKind };
  return importPolicy({ from, label: file, text }, base === undefined ? facts : { ...facts, base });
}

/** Of no project, and under no policy: what it says depends on the file alone. */
export async function judgeSpecFile({ file, level, isStandardOnly }: PodSecurityRequest): Promise<PodSecurityReport> {
  const format = formatOfSpec(file);
  const text = await readNamedSpec(file, maximumSpecBytes);
  return judgePodSecurity({ label: file, format, text }, { level, isStandardOnly });
}

export function policyLoader(parts: PolicyLoaderParts): PolicyLoader {
  const { places, layout } = parts;

  const sourcesOf: PolicyLoader["sources"] = async (selection) =>
    gatherPolicySources({ places, formatOfFile, isTrusted: (found) => isTrusted(layout.trustFile, found) }, selection);

  const load: PolicyLoader["load"] = async (sources, projectDirectory, ownProject = projectDirectory) => {
    const facts = await factsFor(parts, projectDirectory, sources);
    const policy = loadPolicy(sources, await withPresets(parts, facts, { sources, projectDirectory: ownProject }));
    await refuseWritablePolicy(sources, policy.paths.allowWrite.map(canonicalPath));
    return policy;
  };

  const checkFile: PolicyLoader["checkFile"] = async (file, projectDirectory) => {
    const found = await readNamedPolicy(file);
    const holding = await sourcesOf({ projectDirectory });
    const place = holding.findIndex(({ label }) => canonicalPath(label) === canonicalPath(file));
    // A file that a run here would read is judged as that run would; any other as if it were the user's own.
    const origin = holding[place]?.origin ?? "user";
    const source: PolicySource = { origin, label: file, format: formatOfFile(file), text: found.bytes };
    const sources = [...holding, source];
    const facts = await withPresets(parts, await factsFor(parts, projectDirectory, sources), { sources, projectDirectory });
    return checkPolicy(source, facts, place === -1 ? [] : holding.slice(0, place));
  };

  return {
    sources: sourcesOf,
    load,
    checkFile,
    trust: (projectDirectory) => trustProject(parts, projectDirectory),
    importSettings: (request) => importFile(parts, request),
  };
}
