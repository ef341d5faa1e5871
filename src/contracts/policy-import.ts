// Settings of other tools as a policy: what is asked for, and what comes of it. INVARIANT I-14
import type { PolicyDocument } from "./policy-document.ts";
import type { PolicyFacts } from "./policy-port.ts";
import type { Sentence } from "./sentence.ts";

/** `srt`: `.srt-settings.json`; `claude-code`: `settings.json`; `codex`: `config.toml` and `requirements.toml`. */
export const importFormats = ["srt", "claude-code", "codex"] as const;
export type ImportFormat = (typeof importFormats)[number];

/** What a door is asked: the settings of a file. */
export interface PolicyImportRequest {
  readonly from: ImportFormat;
  /** Absolute. */
  readonly file: string;
  readonly projectDirectory: string;
  /** See `ImportFacts.base`. */
  readonly base?: string;
  /** Settings that hold where there is no such file; absent: that is refused. */
  readonly orElse?: string;
}

/** Settings on their way in. */
export interface ImportSource {
  readonly from: ImportFormat;
  /** Shown in findings: the file's path. */
  readonly label: string;
  readonly text: string | Uint8Array;
}

export interface ImportFacts extends PolicyFacts {
  /** Absolute; what a relative path of the settings is relative to. Absent: the project, and such a path stays relative. */
  readonly base?: string;
  /** What is at an absolute path, behind links. */
  readonly placeKind: (absolute: string) => "directory" | "other" | "missing";
}

/**
 * What of the settings does not hold as it was written. `inert`: it has nothing to act on here. `refused`: it would weaken the boundary, or
 * nothing here can do it. `stricter`: it holds, and closes more than it says.
 */
export interface ImportNote {
  readonly kind: "inert" | "refused" | "stricter";
  /** Dotted, in the settings. */
  readonly key: string;
  /** 1-based; 0 when the format gives none. */
  readonly line: number;
  readonly reason: Sentence;
}

export interface ImportedPolicy {
  /** Passes `policy check` as it is. */
  readonly document: PolicyDocument;
  /** The document as YAML. */
  readonly yaml: string;
  /** In the order of the settings. */
  readonly notes: readonly ImportNote[];
}
