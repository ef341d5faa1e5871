// A directory that exists for the length of one test.
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { removeTree } from "../../kit/remove-tree.ts";

/** Absolute, canonical, private, empty; removed afterwards. */
export async function inDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), "glovebox-cli-")));
  try {
    await use(directory);
  } finally {
    await removeTree(directory, { parent: path.dirname(directory) });
  }
}
