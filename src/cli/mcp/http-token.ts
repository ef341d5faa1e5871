// The token of an HTTP server: a new one, or the one that a file of the user's keeps, which is made when it is not there.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { usageError } from "../usage-error.ts";

const longestFile = 4096;

export const newToken = (): string => randomBytes(32).toString("hex");

async function openTokenFile(file: string): Promise<{ readonly handle: FileHandle; readonly isNew: boolean }> {
  try {
    return { handle: await open(file, "wx", 0o600), isNew: true };
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
    // A fifo would hold us, and a link may be somebody else's.
    return { handle: await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK), isNew: false };
  }
}

async function readToken(handle: FileHandle, file: string): Promise<string> {
  const { uid, mode, size } = await handle.stat();
  const isOurs = uid === process.geteuid?.() && (mode & 0o170_077) === constants.S_IFREG;
  if (!isOurs) throw usageError("mcp.token-file-open", { file });
  const token = size > longestFile ? "" : (await handle.readFile("latin1")).trim();
  if (!/^[\x21-\x7e]{32,}$/u.test(token)) throw usageError("mcp.token-invalid", { file });
  return token;
}

/** @param file absolute @throws USAGE_INVALID when others may read it, or it holds no token */
export async function tokenOfFile(file: string): Promise<string> {
  try {
    const { handle, isNew } = await openTokenFile(file);
    await using closing = new AsyncDisposableStack();
    closing.defer(() => handle.close());
    if (!isNew) return await readToken(handle, file);
    const token = newToken();
    await handle.writeFile(`${token}\n`);
    return token;
  } catch (error) {
    if (error instanceof GloveboxError) throw error;
    throw usageError("mcp.token-file-unusable", { file, errno: systemErrorCode(error) ?? "unknown" });
  }
}
