// The questions that a plan asks about the host's files, as a port: the planner stays pure and its tests need no files.
import { lstatSync, readFileSync, readdirSync, readlinkSync, realpathSync } from "node:fs";

export interface Entry {
  readonly kind: "file" | "directory" | "link" | "other";
  /** Number of hard links. */
  readonly links: number;
}

export interface FileTree {
  /** The entry itself, links not followed; undefined when it is absent or out of this user's reach. */
  look(absolute: string): Entry | undefined;
  /** Names in a directory; empty when it cannot be listed. */
  list(directory: string): readonly string[];
  /** The text of a link. */
  linkTarget(absolute: string): string | undefined;
  /** The same place without links; undefined when it does not exist. */
  canonical(absolute: string): string | undefined;
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

/** The real host. Synchronous: a plan asks a few hundred questions of warm directories. */
export function hostFileTree(): FileTree {
  return {
    look: (absolute) => {
      const found = orUndefined(() => lstatSync(absolute, { throwIfNoEntry: false }));
      if (found === undefined) return undefined;
      const kind = found.isFile() ? "file" : found.isDirectory() ? "directory" : found.isSymbolicLink() ? "link" : "other";
      return { kind, links: found.nlink };
    },
    list: (directory) => orUndefined(() => readdirSync(directory)) ?? [],
    linkTarget: (absolute) => orUndefined(() => readlinkSync(absolute)),
    // Most questions are about files that are not there: asking first is ten times cheaper than an exception.
    canonical: (absolute) =>
      orUndefined(() => (lstatSync(absolute, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync.native(absolute))),
    text: (absolute) => orUndefined(() => readFileSync(absolute, "utf8")),
  };
}
