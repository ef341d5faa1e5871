// Fits the broker's environment to the view: names of places that do not exist inside are replaced by those that do. Nothing is added
// but TMPDIR, without which a program would look for /tmp, where nothing of its own may be.
import type { FileTree } from "./file-tree.ts";
import { fallbackPath, homeInside, temporaryInside } from "./inside.ts";
import { accessInView, type View } from "./view.ts";

export interface PathFacts {
  readonly view: View;
  readonly tree: FileTree;
  /** Links that the sandbox has at its root, e.g. /bin. */
  readonly systemLinks: readonly { readonly path: string }[];
}

/**
 * Search directories of one sandbox that were found, by how callers write them, for the commands after this one. One that goes away meanwhile is
 * searched in vain; one that was not found is looked for again.
 */
export type FoundDirectories = Map<string, string>;

/** Callers send what they like. */
const foundMax = 256;

/** Where a search directory is inside: as written when its way is visible, else by its canonical name, else nowhere. */
function visibleEntry({ view, tree, systemLinks }: PathFacts, entry: string): string | undefined {
  if (!entry.startsWith("/") || entry.includes("/../")) return undefined;
  const real = tree.canonical(entry);
  if (real === undefined || tree.look(real)?.kind !== "directory") return undefined;
  const access = accessInView(view, real);
  if (access !== "read" && access !== "write") return undefined;
  const written = accessInView(view, entry);
  const isWrittenVisible =
    written === "read" || written === "write" || systemLinks.some(({ path }) => entry === path || entry.startsWith(`${path}/`));
  return isWrittenVisible ? entry : real;
}

function searchDirectory(facts: PathFacts, entry: string, found: FoundDirectories): string | undefined {
  const known = found.get(entry);
  if (known !== undefined) return known;
  const visible = visibleEntry(facts, entry);
  if (visible !== undefined && found.size < foundMax) found.set(entry, visible);
  return visible;
}

/** The caller's PATH without entries that do not exist inside; order kept, repeats dropped. */
export function sandboxPath(callerPath: string, facts: PathFacts, found: FoundDirectories): string {
  const entries = callerPath.split(":").map((entry) => (entry.length > 1 ? entry.replace(/\/+$/u, "") : entry));
  const kept = entries.flatMap((entry) => searchDirectory(facts, entry, found) ?? []);
  return kept.length === 0 ? fallbackPath : [...new Set(kept)].join(":");
}

/** Whose names on the host, and the name inside: root's sandboxes are somebody else. */
export interface HostNames {
  readonly hostHome: string;
  readonly hostName: string;
  readonly nameInside: string;
}

/** HOME, USER and LOGNAME follow the view when they name the host's, TMPDIR unless it is writable inside; PATH keeps what is visible; all else is as given. */
export function sandboxEnvironment(
  given: Readonly<Record<string, string>>,
  facts: PathFacts & HostNames,
  found: FoundDirectories,
): Readonly<Record<string, string>> {
  const result: Record<string, string> = { ...given };
  const { PATH, HOME, TMPDIR } = given;
  if (PATH !== undefined) result["PATH"] = sandboxPath(PATH, facts, found);
  if (HOME === facts.hostHome) result["HOME"] = homeInside;
  for (const name of ["USER", "LOGNAME"]) if (given[name] === facts.hostName) result[name] = facts.nameInside;
  if (TMPDIR === undefined || accessInView(facts.view, TMPDIR) !== "write") result["TMPDIR"] = temporaryInside;
  return result;
}
