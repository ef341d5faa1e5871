// Which host paths must pass through the launcher when root opens a sandbox: everything that is not the operating system's own,
// because the sandbox runs as an allocated uid that owns nothing.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { FileTree } from "./file-tree.ts";
import { ancestorsOf, isAtOrBelow } from "./paths.ts";
import { systemDirectories, systemNames } from "./system-tree.ts";
import type { View } from "./view.ts";

export interface StagedBind {
  readonly path: string;
  /** Name of the idmapped clone in the launcher's staging directory. */
  readonly stage: string;
  /** Nothing at or below it is writable. */
  readonly isReadOnly: boolean;
}

const system: readonly string[] = [...systemDirectories, ...systemNames];

export function isOfSystem(path: string): boolean {
  return system.some((directory) => isAtOrBelow(path, directory));
}

/** The topmost places outside the system, and every write root that no other staged place contains. */
export function stagedBinds(view: View, extra: readonly string[]): readonly StagedBind[] {
  const staged: StagedBind[] = [];
  const add = (path: string): void => {
    if (staged.some((bind) => isAtOrBelow(path, bind.path))) return;
    const isReadOnly = !view.places.some((place) => place.access === "write" && isAtOrBelow(place.path, path));
    staged.push({ path, stage: `b${staged.length}`, isReadOnly });
  };
  for (const path of extra) add(path);
  for (const place of view.places) {
    if (place.access === "hidden") continue;
    if (!isOfSystem(place.path) || place.access === "write") add(place.path);
  }
  return staged;
}

/** True when every user may go to a file and use it, so that it need not pass through the launcher. */
export function isOpenToAll(tree: FileTree, path: string): boolean {
  const isOpen = (directory: string): boolean => ((tree.look(directory)?.mode ?? 0) & 0o001) !== 0;
  return ancestorsOf(path).every(isOpen) && ((tree.look(path)?.mode ?? 0) & 0o005) === 0o005;
}

/**
 * An existing directory that the launcher covers with a tmpfs in its private mount namespace; the host's is not touched. No shown path
 * may lie at, above or below it.
 */
export function chooseStageDirectory(view: View, tree: FileTree, extra: readonly string[]): string {
  const used = [...view.places.map(({ path }) => path), ...extra];
  const isFree = (candidate: string): boolean => !used.some((path) => isAtOrBelow(path, candidate) || isAtOrBelow(candidate, path));
  const found = ["/run", "/mnt", "/media", "/srv", "/boot"].find(
    (candidate) => tree.look(candidate)?.kind === "directory" && isFree(candidate),
  );
  if (found === undefined) throw new GloveboxError("WALL_UNAVAILABLE", "wall.no-stage");
  return found;
}

/** Where bubblewrap finds a host path: in the staging directory when it passed through the launcher. */
export function sourceOf(staged: readonly StagedBind[], stageDirectory: string, path: string): string {
  const bind = staged.find((candidate) => isAtOrBelow(path, candidate.path));
  return bind === undefined ? path : `${stageDirectory}/${bind.stage}${path.slice(bind.path.length)}`;
}
