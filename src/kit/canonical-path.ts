// Resolves links in the part of a path that exists.
import { realpathSync } from "node:fs";
import path from "node:path";

/** The same place without links: the longest existing part is resolved, the rest is appended as it is. Absolute in, absolute out. */
export function canonicalPath(absolute: string): string {
  const normal = path.normalize(absolute);
  try {
    return realpathSync(normal);
  } catch {
    const parent = path.dirname(normal);
    return parent === normal ? normal : path.join(canonicalPath(parent), path.basename(normal));
  }
}
