// The questions that a plan asks about the host's files, as a port: the planner stays pure and its tests need no files.
import { accessSync, constants, type Dirent, lstatSync, readFileSync, readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";

export type EntryKind = "file" | "directory" | "link" | "other";

export interface Entry {
  readonly kind: EntryKind;
  /** Number of hard links. */
  readonly links: number;
  /** Permission bits. */
  readonly mode: number;
  /** Device and inode: the same place, whatever its name. */
  readonly identity: string;
}

export interface FileTree {
  /** The entry itself, links not followed; undefined when it is absent or out of this user's reach. */
  look(absolute: string): Entry | undefined;
  /** What a directory holds; empty when it cannot be listed. */
  list(directory: string): readonly { readonly name: string; readonly kind: EntryKind }[];
  /** The text of a link. */
  linkTarget(absolute: string): string | undefined;
  /** The same place without links; undefined when it does not exist. */
  canonical(absolute: string): string | undefined;
  /** True when the host's own permissions let the sandbox's user read the file, or look into the directory. */
  canReach(absolute: string): boolean;
  /** A small text file; undefined when it is absent or unreadable. */
  text(absolute: string): string | undefined;
}

/** Absence and lack of reach are answers here: whatever this user cannot see, its sandbox cannot either. */
function orUndefined<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

function kindOf(entry: Stats | Dirent): EntryKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

function hasAccess(absolute: string, mode: number): boolean {
  try {
    accessSync(absolute, mode);
    return true;
  } catch {
    return false; // whatever the reason, this process cannot
  }
}

/**
 * The real host. Synchronous: a plan asks a few hundred questions of warm directories.
 * @param readerIsSelf the sandbox keeps this process's uid and groups; otherwise its uid owns nothing and is in no group
 */
export function hostFileTree(readerIsSelf: boolean): FileTree {
  return {
    look: (absolute) => {
      const found = orUndefined(() => lstatSync(absolute, { throwIfNoEntry: false }));
      if (found === undefined) return undefined;
      return { kind: kindOf(found), links: found.nlink, mode: found.mode & 0o7777, identity: `${found.dev}:${found.ino}` };
    },
    list: (directory) => {
      const entries = orUndefined(() => readdirSync(directory, { withFileTypes: true })) ?? [];
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    },
    canReach: (absolute) => {
      // access(2) knows groups and access lists; for a uid that owns nothing, the bits for others are the whole truth.
      if (readerIsSelf) return hasAccess(absolute, constants.R_OK) || hasAccess(absolute, constants.X_OK);
      return ((orUndefined(() => lstatSync(absolute))?.mode ?? 0) & 0o005) !== 0;
    },
    linkTarget: (absolute) => orUndefined(() => readlinkSync(absolute)),
    // Most questions are about files that are not there: asking first is ten times cheaper than an exception.
    canonical: (absolute) =>
      orUndefined(() => (lstatSync(absolute, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync.native(absolute))),
    text: (absolute) => orUndefined(() => readFileSync(absolute, "utf8")),
  };
}
