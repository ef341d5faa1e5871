// Error numbers of this machine's kernel by name; the guard runs on the same kernel.
import { constants } from "node:os";

/** `ENOENT`; `errno-512` for a number that has no name. */
export function errnoName(errno: number): string {
  for (const [name, value] of Object.entries(constants.errno)) if (value === errno) return name;
  return `errno-${errno}`;
}
