// Resolves links in the part of a path that exists.
import { isUtf8 } from "node:buffer";
import { realpathSync } from "node:fs";
import path from "node:path";

/**
 * The same place without links: the longest existing part is resolved, the rest is appended as it is. Absolute in, absolute out.
 * A link to a name that is not UTF-8 stays as it is: replaced bytes would name another place. The boundary refuses a rule about it.
 */
export function canonicalPath(absolute: string): string {
  const normal = path.normalize(absolute);
  const real = realText(normal);
  const parent = path.dirname(normal);
  return real ?? (parent === normal ? normal : path.join(canonicalPath(parent), path.basename(normal)));
}

function realText(absolute: string): string | undefined {
  try {
    const bytes = realpathSync.native(absolute, "buffer");
    return isUtf8(bytes) ? bytes.toString() : undefined;
  } catch {
    return undefined; // not there, or out of reach: the part above it still counts
  }
}
