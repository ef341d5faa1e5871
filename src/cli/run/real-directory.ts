// A directory that a person named or stands in, without links. Its name must be text: Node replaces other bytes, and that names another place.
import { realpath } from "node:fs/promises";
import { decodeByteText } from "../../kit/byte-text.ts";
import { usageError } from "../usage-error.ts";

/**
 * @param directory absolute
 * @throws USAGE_INVALID when it is not there, or leads through a link to a name that is not UTF-8
 */
export async function realDirectory(directory: string): Promise<string> {
  const bytes = await realpath(directory, "buffer").catch(() => {
    throw usageError("usage.directory-missing", { directory });
  });
  const real = decodeByteText(bytes);
  if (!real.isWellFormed()) throw usageError("usage.not-utf8", { argument: real });
  return real;
}
