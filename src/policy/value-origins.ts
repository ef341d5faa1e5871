// Remembers which layer each value comes from, for `policy show --origin`.
import type { PolicyOrigin } from "../contracts/policy-port.ts";
import { dottedKey } from "./key-path.ts";
import { type Field, type LayerValues, type PolicyValues, builtInValues, fieldPaths } from "./layer-values.ts";
import { isRecord } from "./plain-value.ts";

/** Field, or field and item -> the last layer that named it. */
export type OriginNotes = Map<string, PolicyOrigin>;

const fieldKeys = new Set(Object.values(fieldPaths).map((path) => dottedKey(path)));

function noteKey(path: readonly string[], item?: string): string {
  return JSON.stringify(item === undefined ? path : [path, item]);
}

/** How an item of a list is recognised across layers: a text is itself, a rule its id, a test its name. */
export function itemIdentity(item: unknown): string {
  if (!isRecord(item)) return String(item);
  return String(item["id"] ?? item["name"]);
}

function itemsOf(value: PolicyValues[Field] | undefined): readonly string[] {
  if (Array.isArray(value)) return value.map(itemIdentity);
  return isRecord(value) ? Object.keys(value) : [];
}

export function noteOrigins(notes: OriginNotes, layer: LayerValues, origin: PolicyOrigin): void {
  const given = new Map(Object.entries(layer));
  for (const [field, path] of Object.entries(fieldPaths)) {
    const value = given.get(field);
    if (value === undefined) continue;
    notes.set(noteKey(path), origin);
    for (const item of itemsOf(value)) notes.set(noteKey(path, item), origin);
  }
}

export function openOriginNotes(): OriginNotes {
  const notes: OriginNotes = new Map();
  noteOrigins(notes, builtInValues, "built-in");
  return notes;
}

/** The layer that last named an item of a field. */
export function originOfItem(notes: OriginNotes, field: Field, item: string): PolicyOrigin {
  return notes.get(noteKey(fieldPaths[field], item)) ?? "built-in";
}

/** Dotted key of each value and each list item of the canonical document -> its layer. */
export function valueOrigins(document: unknown, notes: OriginNotes, path: readonly string[] = []): ReadonlyMap<string, PolicyOrigin> {
  const isMap = isRecord(document) && !fieldKeys.has(dottedKey(path));
  if (isMap) return new Map(Object.entries(document).flatMap(([name, value]) => [...valueOrigins(value, notes, [...path, name])]));
  const own = notes.get(noteKey(path)) ?? "built-in";
  const origins = new Map<string, PolicyOrigin>([[dottedKey(path), own]]);
  const items: readonly (readonly [string | number, string])[] = Array.isArray(document)
    ? document.map((item: unknown, index) => [index, itemIdentity(item)])
    : Object.keys(isRecord(document) ? document : {}).map((name) => [name, name]);
  for (const [step, item] of items) origins.set(dottedKey([...path, step]), notes.get(noteKey(path, item)) ?? own);
  return origins;
}
