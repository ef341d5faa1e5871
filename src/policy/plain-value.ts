// Looks into plain data whose shape is not known yet, by own properties only.
import type { KeyPath } from "./key-path.ts";

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path, or undefined. */
export function valueAt(value: unknown, path: KeyPath): unknown {
  let current: unknown = value;
  for (const step of path) {
    if (typeof step === "number" && Array.isArray(current)) current = current[step];
    else if (typeof step === "string" && isRecord(current) && Object.hasOwn(current, step)) current = current[step];
    else return undefined;
  }
  return current;
}

/** The items of a list at a path, each with its own path; nothing when there is no list. */
export function itemsAt(value: unknown, path: KeyPath): readonly { readonly item: unknown; readonly path: KeyPath }[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.map((item: unknown, index) => ({ item, path: [...path, index] })) : [];
}

/** The same, texts only. */
export function textsAt(value: unknown, path: KeyPath): readonly { readonly text: string; readonly path: KeyPath }[] {
  return itemsAt(value, path).flatMap((entry) => (typeof entry.item === "string" ? [{ text: entry.item, path: entry.path }] : []));
}

/** What a person calls this kind of value. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "null value";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "mapping" : typeof value;
}

/** A value on one line, cut; for findings. Never used for environment values. */
export function showValue(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
