// What the path rules of a policy mean where nothing of the host is shown but its programs: the project is a workspace of the container's
// own, what is denied is absent, and what cannot be meant refuses by name. Pure. INVARIANT I-02, I-04, I-05
import type { PathGlob, SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";

/** Of every template, read-only. */
export const shownTrees = ["/usr"] as const;

/** What a container has of its own, or the kernel's. */
export const ownPlaces = [
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/etc",
  "/proc",
  "/dev",
  "/sys",
  "/run",
  "/var/tmp",
  "/home/user",
  "/output",
  "/input",
] as const;

export const isAtOrBelow = (path: string, place: string): boolean => path === place || place === "/" || path.startsWith(`${place}/`);

/** Before the first pattern: everything that can match lies at or below it. */
function literalPart({ segments }: PathGlob): string {
  const end = segments.findIndex(({ kind }) => kind !== "literal");
  return `/${segments
    .slice(0, end === -1 ? segments.length : end)
    .map(({ text }) => text)
    .join("/")}`;
}

function refuse(situation: string, path: string): never {
  throw new GloveboxError("PATH_RULE_UNENFORCEABLE", situation, { values: { path } });
}

export interface Workspace {
  /** Absolute, inside: where the project is on the host. */
  readonly path: string;
  readonly isWritable: boolean;
}

/**
 * @param shown what its template shows
 * @throws PATH_RULE_UNENFORCEABLE naming the rule
 */
export function workspaceOf({ projectDirectory, paths }: SandboxSpec, shown: readonly string[] = shownTrees): Workspace {
  const covered = [...shownTrees, ...shown, ...ownPlaces].some(
    (place) => isAtOrBelow(projectDirectory, place) || isAtOrBelow(place, projectDirectory),
  );
  if (covered || projectDirectory === "/tmp") refuse("container.project-place", projectDirectory);
  for (const path of paths.allowWrite) if (path !== projectDirectory) refuse("container.host-path", path);
  const touchesShown = (path: string): boolean => shownTrees.some((place) => isAtOrBelow(path, place) || isAtOrBelow(place, path));
  const denied = paths.denyRead.find(touchesShown);
  if (denied !== undefined) refuse("container.denied-program", denied);
  const glob = (paths.denyReadGlobs ?? []).find((one) => touchesShown(literalPart(one)));
  if (glob !== undefined) refuse("container.denied-program", glob.text);
  const unwritable = paths.denyWrite.find((path) => isAtOrBelow(path, projectDirectory) && path !== projectDirectory);
  if (unwritable !== undefined) refuse("container.deny-write", unwritable);
  return { path: projectDirectory, isWritable: paths.allowWrite.length > 0 && !paths.denyWrite.includes(projectDirectory) };
}

/** What is not built for containers yet refuses: a promise that nothing keeps is none. INVARIANT I-02 */
export function refuseUnbuilt({ nestedNamespaces }: SandboxSpec): void {
  if (nestedNamespaces === true) throw new GloveboxError("WALL_UNAVAILABLE", "container.unbuilt", { values: { key: "nestedNamespaces" } });
}
