// The only deletes of directories. It removes one directory below a parent that the caller names, and never follows a link out of it.
import { lstatSync, readdirSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import { chmod, lstat, readdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import path from "node:path";

/** A directory that is no longer than this holds few names, on every file system: its own length grows with them. */
const smallBytes = 4096;
const smallDepth = 4;
/** What `rm` says of trees that only hostile programs, or the cache of go, make. */
const stubborn: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "ENAMETOOLONG", "ENOTEMPTY"]);

function lookAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined; // out of reach, like one that is not there
  }
}

/** @returns false when the tree is larger than what may be removed in one go; a part of it may be gone then */
function removeSmall(directory: string, found: Stats | undefined, depth = smallDepth): boolean {
  if (found?.isDirectory() !== true || found.size > smallBytes || depth === 0) return false;
  for (const name of readdirSync(directory)) {
    const place = path.join(directory, name);
    const inner = lookAt(place);
    if (inner?.isDirectory() !== true) unlinkSync(place);
    else if (!removeSmall(place, inner, depth - 1)) return false;
  }
  rmdirSync(directory);
  return true;
}

const entryOf = (directory: Buffer, name: Buffer | string): Buffer => Buffer.concat([directory, Buffer.from("/"), Buffer.from(name)]);

/**
 * For what hostile programs made: directories that let nobody in, and trees deeper than a path may be long. Every directory within another is
 * moved up to the top first, so that no path grows.
 */
async function removeLevelled(top: Buffer): Promise<void> {
  await chmod(top, 0o700);
  let moved = 0;
  const isDirectory = async (place: Buffer): Promise<boolean> => (await lstat(place)).isDirectory();
  const emptyOne = async (directory: Buffer): Promise<void> => {
    await chmod(directory, 0o700);
    for (const name of await readdir(directory, "buffer")) {
      const place = entryOf(directory, name);
      if (await isDirectory(place)) {
        await chmod(place, 0o700);
        await rename(place, entryOf(top, `.moved-up.${(moved += 1)}`));
      } else await unlink(place);
    }
    await rmdir(directory);
  };
  for (let names = await readdir(top, "buffer"); names.length > 0; names = await readdir(top, "buffer")) {
    for (const place of names.map((name) => entryOf(top, name))) {
      if (await isDirectory(place)) await emptyOne(place);
      else await unlink(place);
    }
  }
  await rmdir(top);
}

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
  const found = lookAt(target);
  if (found === undefined) return false;
  try {
    if (removeSmall(target, found)) return true;
  } catch {
    // What is in the way the thorough way deals with, or says.
  }
  try {
    // Node's rm removes a link itself, never what it points to.
    await rm(target, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!found.isDirectory() || !(error instanceof Error) || !("code" in error) || !stubborn.has(error.code)) throw error;
    await removeLevelled(Buffer.from(target));
  }
  return true;
}

/**
 * Removes a directory that holds no other: an empty one, or a control group, whose files are the kernel's.
 * @throws the kernel's error; EBUSY while a control group has members
 */
export function removeDirectory(target: string | Buffer): void {
  rmdirSync(target);
}
