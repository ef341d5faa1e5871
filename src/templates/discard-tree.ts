// Removes a tree of templates. One that an ordinary user's build left holds files of ids that are subordinate to him: he removes those as their root.
import { existsSync } from "node:fs";
import path from "node:path";
import { removeTree } from "../kit/remove-tree.ts";
import { capture } from "../kit/spawn.ts";

const removalMs = 120_000;

export async function discardTree(tree: string): Promise<void> {
  try {
    await removeTree(tree, { parent: path.dirname(tree) });
  } catch (error) {
    if (process.getuid?.() === 0) throw error;
    const args = ["--map-root-user", "--map-auto", "--", "/bin/rm", "-rf", "--one-file-system", "--", tree];
    await capture("/usr/bin/unshare", args, { environment: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }, timeoutMs: removalMs });
    if (existsSync(tree)) throw error;
  }
}
