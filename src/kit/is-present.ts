// Whether a file is there. Unlike existsSync() it does not answer "no" where it was not allowed to look: absence must be seen, not guessed.
import { statSync } from "node:fs";

/** Follows links. @throws the system's error when nobody can tell (EACCES, ELOOP, EIO) */
export function isPresent(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
