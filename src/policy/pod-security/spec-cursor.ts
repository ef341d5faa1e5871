// Steps through plain data that somebody else wrote, and notes each thing on the way that has another shape than expected: what cannot be
// read as it is meant is refused, never taken for absent.
import type { KeyPath } from "../key-path.ts";
import { isRecord, kindOf } from "../plain-value.ts";

export interface ShapeFault {
  /** Below `error.` of the catalogue. */
  readonly situation: string;
  readonly path: KeyPath;
  readonly values?: Readonly<Record<string, string | number>>;
}

export interface Cursor {
  readonly path: KeyPath;
  /** Undefined where there is nothing; null counts as nothing, as Kubernetes and OCI runtimes have it. */
  readonly value: unknown;
  readonly field: (name: string) => Cursor;
  readonly at: (names: readonly string[]) => Cursor;
  /** Members of a mapping, in order. */
  readonly members: () => readonly (readonly [string, Cursor])[];
  readonly items: () => readonly Cursor[];
  readonly text: () => string | undefined;
  readonly flag: () => boolean | undefined;
  readonly number: () => number | undefined;
}

type FoldedKeys = ReadonlyMap<string, readonly string[]>;

/** As Go's JSON reader folds names: it takes `PRIVILEGED`, and even `ſ` for `s`, for the field it knows. */
const folded = (name: string): string => name.toUpperCase().toLowerCase();

function foldKeys(record: Readonly<Record<string, unknown>>): FoldedKeys {
  const keys = new Map<string, string[]>();
  for (const key of Object.keys(record)) {
    const same = keys.get(folded(key));
    if (same === undefined) keys.set(folded(key), [key]);
    else same.push(key);
  }
  return keys;
}

/** @param note is told of every fault */
export function cursorAt(root: unknown, note: (fault: ShapeFault) => void): Cursor {
  const foldedOf = new WeakMap<object, FoldedKeys>();

  function variantOf(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
    const keys = foldedOf.get(record) ?? foldKeys(record);
    foldedOf.set(record, keys);
    return keys.get(folded(name))?.find((key) => key !== name);
  }

  function cursor(given: unknown, path: KeyPath): Cursor {
    const value = given ?? undefined;
    const wrong = (expected: string): undefined => {
      note({ situation: "pod-security.wrong-type", path, values: { expected, found: kindOf(value) } });
    };
    const record = (): Readonly<Record<string, unknown>> | undefined => (value === undefined || isRecord(value) ? value : wrong("mapping"));
    const field: Cursor["field"] = (name) => {
      const known = record();
      if (known === undefined) return cursor(undefined, [...path, name]);
      const variant = variantOf(known, name);
      if (variant !== undefined) note({ situation: "pod-security.letter-case", path: [...path, variant], values: { name } });
      return cursor(Object.hasOwn(known, name) ? known[name] : undefined, [...path, name]);
    };
    return {
      path,
      value,
      field,
      at: (names) => names.reduce<Cursor>((place, name) => place.field(name), cursor(value, path)),
      members: () => Object.entries(record() ?? {}).map(([name, inner]) => [name, cursor(inner, [...path, name])] as const),
      items: () => {
        if (value === undefined) return [];
        if (!Array.isArray(value)) return wrong("list") ?? [];
        const items = value.map((item: unknown, index) => cursor(item, [...path, index]));
        // Nothing in the place of a container or a volume means something to nobody.
        for (const item of items) if (item.value === undefined) note({ situation: "pod-security.null-item", path: item.path });
        return items.filter((item) => item.value !== undefined);
      },
      text: () => (value === undefined || typeof value === "string" ? value : wrong("string")),
      flag: () => (value === undefined || typeof value === "boolean" ? value : wrong("boolean")),
      number: () => (value === undefined || typeof value === "number" ? value : wrong("number")),
    };
  }

  return cursor(root, []);
}
