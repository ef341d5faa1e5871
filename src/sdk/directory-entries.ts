// What `find -printf` says of a directory's entries, as data. The bytes come from inside a sandbox.

export type EntryKind = "file" | "directory" | "link" | "other";

const kinds: Readonly<Record<string, EntryKind>> = { f: "file", d: "directory", l: "link" };

/** @param letter as `%y` of find says it */
export const kindOf = (letter: string): EntryKind => kinds[letter] ?? "other";

export interface Entry {
  /** Bytes that are not UTF-8 are replaced. */
  readonly name: string;
  readonly kind: EntryKind;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** Name, kind, length, seconds since the epoch; each ended by NUL. */
export const entryFormat = "%f\\0%y\\0%s\\0%T@\\0";

/** @param bytes a cut one is left out; sorted by name */
export function parseEntries(bytes: Uint8Array): readonly Entry[] {
  const words = new TextDecoder().decode(bytes).split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 4 < words.length; at += 4) {
    const [name = "", kind = "", length, seconds] = words.slice(at, at + 4);
    entries.push({ name, kind: kindOf(kind), bytes: Number(length), modifiedMs: Math.floor(Number(seconds) * 1000) });
  }
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
