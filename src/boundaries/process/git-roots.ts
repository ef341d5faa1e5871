// Refuses a write root within a git directory: the guard judges what lies below a root, so hooks that are the root itself would be open.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { FileTree } from "./file-tree.ts";
import { ancestorsOf, childOf } from "./paths.ts";
import type { View } from "./view.ts";

const parts = ["HEAD", "objects", "refs"] as const;

function isGitDirectory(tree: FileTree, directory: string): boolean {
  return /\/\.git$/iu.test(directory) || parts.every((name) => tree.look(childOf(directory, name)) !== undefined);
}

/** A bare repository itself may be one: everything that git trusts then lies below it. @throws PATH_RULE_UNENFORCEABLE */
export function refuseRootsInGit(tree: FileTree, view: View): void {
  for (const { path, access } of view.places) {
    if (access !== "write") continue;
    const directory = ancestorsOf(path).find((above) => isGitDirectory(tree, above));
    if (directory !== undefined) throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.root-in-git", { values: { path, directory } });
  }
}
