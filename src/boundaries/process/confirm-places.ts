// After the mounts and before any command: what was planned is what is there. A sandbox of the same project may have swapped a directory
// for a link in between, and what it wrote must not choose what this one sees. INVARIANT I-15
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { FileTree } from "./file-tree.ts";
import { canonicalPath } from "./rules.ts";
import type { View } from "./view.ts";

export interface Planned {
  readonly view: View;
  /** Where each path that the policy names led: a link that was there for the plan alone would have moved a denial elsewhere. */
  readonly ledTo: ReadonlyMap<string, string>;
}

/**
 * @param insideRoot the sandbox's own root as the host can look into it (as root, /proc/PID/root), or empty
 * @throws SANDBOX_OPEN_FAILED naming the place that changed
 */
export function confirmPlaces({ view, ledTo }: Planned, tree: FileTree, insideRoot: string): void {
  const refuse = (path: string): never => {
    throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.changed-while-opening", { values: { path } });
  };
  for (const [path, planned] of ledTo) if (canonicalPath(tree, path) !== planned) refuse(path);
  const shown = view.places.map(({ path, identity, access }) => ({ path, identity, isShown: access !== "hidden" }));
  const pinned = view.pins.map(({ path, identity }) => ({ path, identity, isShown: true }));
  for (const { path, identity, isShown } of [...shown, ...pinned]) {
    if (tree.canonical(path) !== path || tree.look(path)?.identity !== identity) refuse(path);
    // Mounted from where it was planned; a mask has an identity of its own.
    if (insideRoot === "") continue;
    const isSame = tree.look(`${insideRoot}${path}`)?.identity === identity;
    if (isSame !== isShown) refuse(path);
  }
}
