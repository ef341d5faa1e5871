// What a preset is made of: what was found of one ecosystem on this machine, and what follows from it. The names are in policy-document.ts.
import type { PresetName } from "./policy-document.ts";
import type { Sentence } from "./sentence.ts";

/**
 * Who a configuration file speaks for. `project` decides nothing: what it asks for beyond the others becomes a note. INVARIANT I-15
 * `tool`: a file that came with the tool and holds its defaults.
 */
export type ConfigLevel = "tool" | "global" | "user" | "project";

export interface ConfigFile {
  /** Absolute and canonical. */
  readonly path: string;
  readonly level: ConfigLevel;
  /** Bounded; of a project, text that anybody wrote. */
  readonly text: string;
}

/** What the broker found out about one ecosystem; the readers of src/policy/presets know what each means. */
export interface PresetFacts {
  /** What a tool answered, by the name of the question. */
  readonly answers: Readonly<Record<string, string>>;
  /** The caller's own variables that speak to the tools of this ecosystem. */
  readonly environment: Readonly<Record<string, string>>;
  /** Weakest first. */
  readonly files: readonly ConfigFile[];
  /** Canonical places where somebody looked for a file of the user or the machine, whether one was there or not. */
  readonly consulted: readonly string[];
  /** Canonical places of the programs that answered. */
  readonly programs: readonly string[];
  /** Directories of the tools that a sandbox does not show by itself. */
  readonly toolDirectories: readonly string[];
  /** What was left out on the way. */
  readonly notes: readonly Sentence[];
}

/** Where one value of a resolved preset was found: a file, a variable, or a tool's own default. */
export interface PresetSource {
  /** `host:port`, a path, the name of a variable. */
  readonly value: string;
  /** e.g. `npm: registry`. */
  readonly what: string;
  readonly source: string;
}

/** A preset as an ordinary piece of policy. */
export interface ResolvedPreset {
  readonly name: PresetName;
  /** A fragment in the shape of a policy document. */
  readonly fragment: Readonly<Record<string, unknown>>;
  readonly sources: readonly PresetSource[];
  /** Names that a person configured, as `host:port`; not those that a tool or a registry says by itself. */
  readonly configured: readonly string[];
  /** Places that the configuration names and the clients inside must read. */
  readonly shows: readonly string[];
  /** Canonical places of the files and programs that it follows from: what a task may write there would widen the next run. INVARIANT I-15 */
  readonly decidedBy: readonly string[];
  /** What a person should know: credentials left out, another registry that a project asks for. */
  readonly notes: readonly Sentence[];
}

export type PresetFaultCode = "POLICY_KEY_INERT" | "POLICY_UNREADABLE" | "POLICY_VALUE_INVALID";

/** Why a preset cannot be resolved: nothing is guessed. */
export interface PresetRefusal {
  readonly name: PresetName;
  readonly code: PresetFaultCode;
  readonly situation: string;
  readonly values: Readonly<Record<string, string | number>>;
}

export type PresetResolution = ResolvedPreset | PresetRefusal;

/** Thrown where a value cannot be understood: the preset is refused, never guessed. */
export class PresetFault extends Error {
  readonly code: PresetFaultCode;
  readonly situation: string;
  readonly values: Readonly<Record<string, string | number>>;

  constructor(code: PresetFaultCode, situation: string, values: Readonly<Record<string, string | number>>) {
    super(situation);
    this.code = code;
    this.situation = situation;
    this.values = values;
  }
}
