// What `find -printf` says of a place and all below it, as data. The bytes come from inside a sandbox: nothing is believed but its shape.
import { type EntryKind, kindOf } from "./directory-entries.ts";

export interface TreeEntry {
  /** From the place on; empty for the place itself. Its parts are names: none is empty, `.` or `..`. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly bytes: number;
  readonly isExecutable: boolean;
}

/** Path from the place on, kind, length, mode in octal; each ended by NUL. */
export const treeFormat = "%P\\0%y\\0%s\\0%m\\0";

const isPath = (path: string): boolean => path === "" || path.split("/").every((name) => name !== "" && name !== "." && name !== "..");

/** @returns undefined for what find never says, and where a name is no text */
export function parseTree(bytes: Uint8Array): readonly TreeEntry[] | undefined {
  try {
    const words = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).split("\0");
    const entries: TreeEntry[] = [];
    for (let at = 0; at + 4 < words.length; at += 4) {
      const [path = "", kind = "", length, mode = ""] = words.slice(at, at + 4);
      const size = Number(length);
      const isKnown = isPath(path) && (path === "") === (at === 0) && Number.isSafeInteger(size) && /^[0-7]{1,5}$/u.test(mode);
      if (!isKnown) return undefined;
      entries.push({ path, kind: kindOf(kind), bytes: size, isExecutable: (Number.parseInt(mode, 8) & 0o100) !== 0 });
    }
    return entries.length === 0 ? undefined : entries;
  } catch {
    return undefined; // a name that is no UTF-8: no argument could name it again
  }
}
