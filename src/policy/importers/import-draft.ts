// Collects what becomes of somebody else's settings: the notes, and what cannot be taken over at all.
import type { ImportFacts, ImportFormat, ImportNote } from "../../contracts/policy-import.ts";
import type { PolicyProblem } from "../../contracts/policy-port.ts";
import { type Place, openFindings } from "../findings.ts";
import { type KeyPath, dottedKey, lineOf } from "../key-path.ts";
import { isRecord, showValue, valueAt } from "../plain-value.ts";

type Values = Readonly<Record<string, string | number>>;

/** A text of the settings and where it stands. */
export interface Entry {
  readonly text: string;
  readonly path: KeyPath;
}

export interface ImportDraft {
  readonly from: ImportFormat;
  readonly facts: ImportFacts;
  /** @param reason key of the catalogue */
  note(kind: ImportNote["kind"], path: KeyPath, reason: string, values?: Values): void;
  /** A rule that forbids and cannot be held: nothing is imported. @param situation below `error.` */
  refuse(path: KeyPath, situation: string, value: unknown): void;
  /** In the order of the text; one for each key and reason. */
  notes(): readonly ImportNote[];
  problems(): readonly PolicyProblem[];
}

export function openDraft(from: ImportFormat, place: Place, facts: ImportFacts): ImportDraft {
  const notes = new Map<string, ImportNote>();
  const findings = openFindings(place);
  return {
    from,
    facts,
    note: (kind, path, reason, values = {}) => {
      const key = dottedKey(path);
      const note: ImportNote = { kind, key, line: lineOf(place.lines, path), reason: { key: reason, values } };
      const identity = `${key}\n${reason}\n${JSON.stringify(values)}`;
      if (!notes.has(identity)) notes.set(identity, note);
    },
    refuse: (path, situation, value) =>
      findings.add({ code: "POLICY_VALUE_INVALID", situation, path, values: { value: showValue(value) } }),
    notes: () => [...notes.values()].toSorted((one, other) => one.line - other.line),
    problems: () => findings.list(),
  };
}

/** The texts of a list, each with its place. */
export function entriesOf(texts: readonly string[] | undefined, path: KeyPath): readonly Entry[] {
  return (texts ?? []).map((text, index) => ({ text, path: [...path, index] }));
}

/** A setting that does nothing here, whatever it says. */
export interface IdleSetting {
  readonly path: KeyPath;
  readonly kind: ImportNote["kind"];
  /** Key of the catalogue. */
  readonly reason: string;
}

/** A switch that is off and a list without items ask for nothing. */
function asksForSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isRecord(value) || Object.keys(value).length > 0;
}

/** @param value the part of the settings that stands at `at` */
export function noteIdle(draft: ImportDraft, value: unknown, settings: readonly IdleSetting[], at: KeyPath = []): void {
  for (const { path, kind, reason } of settings) if (asksForSomething(valueAt(value, path))) draft.note(kind, [...at, ...path], reason);
}
