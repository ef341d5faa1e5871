// The file by which sandboxes with one write root exclude each other: what one makes must not land in a directory that another renames.
import { closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";

/** What the guards have in common in it: one number, and three bytes that they lock. */
const fileBytes = 4096;

/** @returns a descriptor for the guard, to be closed by the caller; the file never grows or shrinks while somebody has it */
export function openSharedLock(path: string): number {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    if (fstatSync(descriptor).size < fileBytes) ftruncateSync(descriptor, fileBytes);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
