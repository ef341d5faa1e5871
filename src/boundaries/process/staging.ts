// Which host paths must pass through the launcher when root opens a sandbox: everything that is not the operating system's own,
// because the sandbox runs as an allocated uid that owns nothing.
import { isAtOrBelow } from "./paths.ts";
import { systemDirectories, systemNames } from "./system-tree.ts";
import type { View } from "./view.ts";

export interface StagedBind {
  readonly path: string;
  /** Name of the idmapped clone in the launcher's staging directory. */
  readonly stage: string;
}

/** The topmost places outside the system, and every write root that no other staged place contains. */
export function stagedBinds(view: View, extra: readonly string[]): readonly StagedBind[] {
  const staged: StagedBind[] = [];
  const add = (path: string): void => {
    if (staged.some((bind) => isAtOrBelow(path, bind.path))) return;
    staged.push({ path, stage: `b${staged.length}` });
  };
  for (const path of extra) add(path);
  const system: readonly string[] = [...systemDirectories, ...systemNames];
  for (const place of view.places) {
    if (place.access === "hidden") continue;
    const isSystem = system.some((directory) => isAtOrBelow(place.path, directory));
    if (!isSystem || place.access === "write") add(place.path);
  }
  return staged;
}

/** Where bubblewrap finds a host path: in the staging directory when it passed through the launcher. */
export function sourceOf(staged: readonly StagedBind[], stageDirectory: string, path: string): string {
  const bind = staged.find((candidate) => isAtOrBelow(path, candidate.path));
  return bind === undefined ? path : `${stageDirectory}/${bind.stage}${path.slice(bind.path.length)}`;
}
