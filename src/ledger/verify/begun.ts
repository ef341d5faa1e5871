// Whether a ledger ever began in a state directory: told apart from one of which something is gone.
import { lstat } from "node:fs/promises";
import path from "node:path";
import type { Finding } from "./walk.ts";

/** What the writer makes with the first record, and nothing else makes. */
const signs = ["VERSION", "ledger", "keys"];

async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    // Anything but "no such name" means that nobody can say: the reading that follows says what is wrong.
    return !(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"));
  }
}

/** A finding when none of its parts is there. */
export async function findNoLedger(directory: string): Promise<Finding | undefined> {
  for (const sign of signs) if (await isThere(path.join(directory, sign))) return undefined;
  return { exit: 6, segment: "", seq: 0, situation: "no-ledger", values: { seq: 0, segment: "", path: directory } };
}
