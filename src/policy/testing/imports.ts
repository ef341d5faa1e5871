// Short ways to import settings in tests of this room.
import { PolicyError } from "../../contracts/policy-error.ts";
import type { ImportedPolicy, ImportFacts, ImportFormat, ImportNote } from "../../contracts/policy-import.ts";
import { importPolicy } from "../importers/import-policy.ts";
import { facts as policyFacts, summaries } from "./sources.ts";

/** Everything is a directory but what is named like a file or like nothing. */
export const facts: ImportFacts = {
  ...policyFacts,
  placeKind: (absolute) => (absolute.endsWith(".txt") ? "other" : absolute.endsWith("missing") ? "missing" : "directory"),
};

export function imported(from: ImportFormat, text: string, more: Partial<ImportFacts> = {}, label = "settings"): ImportedPolicy {
  return importPolicy({ from, label, text }, { ...facts, ...more });
}

/** `kind key reason` of each note. */
export function noteLines(notes: readonly ImportNote[]): readonly string[] {
  return notes.map(({ kind, key, reason }) => `${kind} ${key} ${reason.key.replace("import.reason.", "")}`);
}

/** What an import is refused for; empty when it is not. */
export function refusals(from: ImportFormat, text: string, label?: string): readonly string[] {
  try {
    imported(from, text, {}, label);
    return [];
  } catch (error) {
    if (error instanceof PolicyError) return summaries(error.problems);
    throw error;
  }
}

interface SrtParts {
  readonly network?: Readonly<Record<string, unknown>>;
  readonly filesystem?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** Settings of srt as text: the lists that it wants are empty unless given. */
export function srtText({ network, filesystem, ...rest }: SrtParts = {}): string {
  return JSON.stringify({
    network: { allowedDomains: [], deniedDomains: [], ...network },
    filesystem: { denyRead: [], allowWrite: [], denyWrite: [], ...filesystem },
    ...rest,
  });
}
