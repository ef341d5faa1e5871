// What the rest of the house knows of a policy: the compiled form, and the operations that the policy room offers.
import type { ArtifactBounds } from "./artifacts.ts";
import type { CommandRequest, Decision } from "./decision.ts";
import type { EgressPolicy } from "./egress-policy.ts";
import type { Digest } from "./ids.ts";
import type { ApprovalRule, OutsideEntry } from "./policy-document.ts";
import type { CacheName } from "./package-caches.ts";
import type { PresetName } from "./policy-document.ts";
import type { PresetResolution, ResolvedPreset } from "./preset.ts";
import type { Limits } from "./limits.ts";
import type { PathPolicy } from "./boundary.ts";
import type { Sentence } from "./sentence.ts";

/** `preset node`: what the preset follows from is in `CompiledPolicy.presets`. */
export type PolicyOrigin = `preset ${PresetName}` | PolicyLayer;

export type PolicyLayer = "built-in" | "system" | "user" | "project" | "project-trusted" | "flags";

/**
 * `auto-allow`: a command that no rule decides runs. `regular`: it asks, and so does a connection to a public place; under all others that is denied.
 * `never`: it runs, and what a rule would ask is denied. `commands`: `granular: {commands: ask}`. `listed`: `granular: {commands: deny}`, by which
 * only what a rule allows, or a person, runs.
 */
export type ApprovalMode = "auto-allow" | "regular" | "never" | "commands" | "listed";

/** A policy ready to decide. Pure data plus pure functions; the same document and facts give the same value. */
export interface CompiledPolicy {
  /** Hash of the canonical form of `document`. */
  readonly hash: Digest;
  /** The normalised merged document (defaults filled), in the shape of policy-document.ts. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Layers that contributed, weakest first. */
  readonly origins: readonly PolicyLayer[];
  /** The presets that it holds, resolved into the values of `document`. */
  readonly presets: readonly ResolvedPreset[];
  /** Dotted key -> the layer its value comes from, for `policy show --origin`. */
  readonly valueOrigins: ReadonlyMap<string, PolicyOrigin>;
  readonly boundary: "process" | "container";
  /** What starts the container; meant only where it is one. */
  readonly runtime: "runc" | "crun" | "runsc";
  /** What the container starts from, by name; undefined: the machine's own programs. */
  readonly template: string | undefined;
  readonly paths: PathPolicy;
  readonly environment: {
    readonly pass: readonly string[];
    readonly set: Readonly<Record<string, string>>;
    readonly homeFiles: Readonly<Record<string, string>>;
  };
  /** Package caches that it shares with other tasks of its project. */
  readonly caches: readonly CacheName[];
  readonly limits: Limits;
  readonly approval: ApprovalMode;
  /** Where it may connect. */
  readonly egress: EgressPolicy;
  /** Whether a person may be asked to let a command run outside any sandbox. */
  readonly allowUnsandboxed: boolean;
  /** Whether commands may make user, pid and net namespaces of their own. */
  readonly nestedNamespaces: boolean;
  /** Commands that may be asked for by name, to run outside. Places are absolute. */
  readonly outside: readonly OutsideEntry[];
  /** Who is told of questions and may answer them, besides a person at another terminal. */
  readonly approvals: readonly ApprovalRule[];
  /** Questions of one user that may be open at once. */
  readonly pendingApprovals: number;
  /** How much of one command is handed back as files; meant only of a container. */
  readonly artifacts: ArtifactBounds;
  /** How long a sandbox can be used by its id; meant only of a container. */
  readonly containerExpiresMs: number;
  /** Days a record is kept. */
  readonly retentionDays: number;
  /** How argv is written into the encrypted blob: `redacted` = the words with known secret shapes removed; `digest` = only a digest. */
  readonly auditArgv: "redacted" | "digest";
  decide(request: CommandRequest): Decision;
}

/** What a policy says about one place. */
export interface ConnectionAnswer {
  /** By whatever protocol the policy is most generous. */
  readonly verdict: "allow" | "ask" | "deny";
  readonly lines: readonly Sentence[];
}

/** Facts about the machine that a policy needs and must not look up itself. */
export interface PolicyFacts {
  /** Absolute, canonical. */
  readonly home: string;
  /** Milliseconds since 1970. Absent: what has an end is over. */
  readonly nowMs?: number;
  readonly projectDirectory: string;
  /**
   * An absolute path -> the same place without links (its longest existing part resolved). The composition root looks it up; the policy
   * room only calls it. Absent: paths are taken as written, which is right only where no link can exist (tests, `policy hash`).
   */
  readonly canonicalPath?: (absolute: string) => string;
  /** Absolute, canonical directories of Glovebox itself (state, runtime, installation): never equal to, inside or below a write root. */
  readonly protectedPaths?: readonly string[];
  /** What the presets that trusted sources name mean on this machine. One that is named and not here is a finding. */
  readonly presets?: ReadonlyMap<PresetName, PresetResolution>;
  /** Whether anybody may register names below this one (`com`, `co.uk`, `github.io`). Absent: no pattern of hosts is taken. */
  readonly isPublicSuffix?: (name: string) => boolean;
}

export type PolicyFormat = "yaml" | "json" | "toml";

/** One policy document on its way in. */
export interface PolicySource {
  readonly origin: Exclude<PolicyLayer, "built-in">;
  /** Shown in errors: a path, or `--set`. */
  readonly label: string;
  readonly format: PolicyFormat;
  /** Hand in the bytes of a file: then bytes that are not UTF-8 are a finding instead of a silent replacement character. */
  readonly text: string | Uint8Array;
  /**
   * What an allow list (allowRead, allowWrite, pass) of this trusted source does to the layers below: `replace` (the default: the list is
   * the whole truth, as in a file) or `add` (as a repeated command-line flag). A list of an untrusted project only ever narrows.
   */
  readonly lists?: "replace" | "add";
}

/** A finding of `policy check`: every one names file, line and key. */
/** The label of the source that holds the flags of a call. */
export const commandLineLabel = "command line";

export interface PolicyProblem {
  readonly code:
    | "POLICY_SYNTAX"
    | "POLICY_UNREADABLE"
    | "POLICY_KEY_UNKNOWN"
    | "POLICY_KEY_UNSUPPORTED"
    | "POLICY_KEY_INERT"
    | "POLICY_VALUE_INVALID"
    | "POLICY_WIDENS"
    | "POLICY_TEST_FAILED"
    | "SPEC_UNREADABLE";
  readonly situation: string;
  readonly values: Readonly<Record<string, string | number>>;
  /** The file, `commandLineLabel`, or empty when what is wrong stands in no source: where the caller is, say. */
  readonly label: string;
  /** 1-based; 0 when the format gives none. */
  readonly line: number;
  /** Dotted, e.g. `filesystem.allowRead[2]`. */
  readonly key: string;
}
