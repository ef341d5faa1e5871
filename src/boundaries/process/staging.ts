// Which host paths must pass through the launcher when root opens a sandbox: everything that is not the operating system's own,
// because the sandbox runs as an allocated uid that owns nothing.
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

function isOfSystem(path: string): boolean {
  return system.some((directory) => isAtOrBelow(path, directory));
}

/** The topmost places outside the system, and every write root that no other staged place contains. */
export function stagedBinds(view: View): readonly StagedBind[] {
  const staged: StagedBind[] = [];
  const add = (path: string): void => {
    if (staged.some((bind) => isAtOrBelow(path, bind.path))) return;
    const isReadOnly = !view.places.some((place) => place.access === "write" && isAtOrBelow(place.path, path));
    staged.push({ path, stage: `b${staged.length}`, isReadOnly });
  };
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

/** No path at or below them is ever shown: what a sandbox has there is its own. */
const stageDirectories = ["/dev/shm", "/dev/mqueue", "/dev/pts"] as const;

/** The directory that the launcher covers with a file system in its private mount namespace; the host's is not touched. */
export function chooseStageDirectory(tree: FileTree, programs: readonly string[]): string {
  const isFree = (candidate: string): boolean =>
    !programs.some((program) => isAtOrBelow(program, candidate)) && tree.look(candidate)?.kind === "directory";
  return stageDirectories.find(isFree) ?? stageDirectories[0];
}
