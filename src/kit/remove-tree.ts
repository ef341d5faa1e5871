// The only deletes of directories. It removes one directory below a parent that the caller names, and never follows a link out of it.
import { rmdirSync } from "node:fs";
import { lstat, rm } from "node:fs/promises";
import path from "node:path";

/**
 * Removes `target` and all below it; a target that does not exist is success.
 * @returns whether it was there; of two that remove at once both may be told so
 * @throws TypeError when `target` is not strictly inside `parent`.
 */
export async function removeTree(target: string, options: { readonly parent: string }): Promise<boolean> {
  const relative = path.relative(options.parent, target);
  if (relative === "" || relative.startsWith("..") || path.isAbsolute(relative)) {
    throw new TypeError(`Cannot remove "${target}": it is not inside "${options.parent}"`);
  }
  const found = await lstat(target).catch(() => undefined);
  if (found === undefined) return false;
  // Node's rm removes a link itself, never what it points to.
  await rm(target, { recursive: true, force: true, maxRetries: 3 });
  return true;
}

/**
 * Removes a directory that holds no other: an empty one, or a control group, whose files are the kernel's.
 * @throws the kernel's error; EBUSY while a control group has members
 */
export function removeDirectory(target: string | Buffer): void {
  rmdirSync(target);
}
