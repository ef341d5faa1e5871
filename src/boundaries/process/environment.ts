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

interface KnownDirectory {
  /** Where it is inside; undefined: nowhere. */
  readonly inside: string | undefined;
  readonly identity: string;
}

/**
 * Search directories of one sandbox, by how callers write them, for the commands after the one that looked for them. One that was found is found: when it
 * goes away, it is searched in vain. One that is nowhere inside stays so as long as it is the same directory. One that is not there is looked for again.
 */
export type KnownDirectories = Map<string, KnownDirectory>;

/** Callers send what they like. */
const knownMax = 256;

/** Where a search directory is inside: as written when its way is visible, else by its canonical name, else nowhere. */
function visibleEntry({ view, tree, systemLinks }: PathFacts, entry: string): string | undefined {
  const real = tree.canonical(entry);
  if (real === undefined || tree.look(real)?.kind !== "directory") return undefined;
  const access = accessInView(view, real);
  if (access !== "read" && access !== "write") return undefined;
  const written = accessInView(view, entry);
  const isWrittenVisible =
    written === "read" || written === "write" || systemLinks.some(({ path }) => entry === path || entry.startsWith(`${path}/`));
  return isWrittenVisible ? entry : real;
}

function searchDirectory(facts: PathFacts, entry: string, known: KnownDirectories): string | undefined {
  if (!entry.startsWith("/") || entry.includes("/../")) return undefined;
  const before = known.get(entry);
  if (before?.inside !== undefined) return before.inside;
  const now = facts.tree.look(entry);
  if (now === undefined || now.identity === before?.identity) return undefined;
  const inside = visibleEntry(facts, entry);
  // A link that leads nowhere inside may lead elsewhere next time.
  const isSettled = inside !== undefined || now.kind === "directory";
  if (isSettled && (before !== undefined || known.size < knownMax)) known.set(entry, { inside, identity: now.identity });
  return inside;
}

/** The caller's PATH without entries that do not exist inside; order kept, repeats dropped. */
export function sandboxPath(callerPath: string, facts: PathFacts, known: KnownDirectories): string {
  const entries = callerPath.split(":").map((entry) => (entry.length > 1 ? entry.replace(/\/+$/u, "") : entry));
  const kept = entries.flatMap((entry) => searchDirectory(facts, entry, known) ?? []);
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
  known: KnownDirectories,
): Readonly<Record<string, string>> {
  const result: Record<string, string> = { ...given };
  const { PATH, HOME, TMPDIR } = given;
  if (PATH !== undefined) result["PATH"] = sandboxPath(PATH, facts, known);
  if (HOME === facts.hostHome) result["HOME"] = homeInside;
  for (const name of ["USER", "LOGNAME"]) if (given[name] === facts.hostName) result[name] = facts.nameInside;
  if (TMPDIR === undefined || accessInView(facts.view, TMPDIR) !== "write") result["TMPDIR"] = temporaryInside;
  return result;
}
