// The key that signs questions and answers of the places which a policy names: a file of this user alone, in the directory of the user's own policy,
// which no sandbox sees.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";

const bytesMin = 32;
const bytesMax = 1024;

async function readKey(handle: FileHandle, uid: number): Promise<Uint8Array | string> {
  const found = await handle.stat();
  if (!found.isFile()) return "no-file";
  if (found.uid !== uid || (found.mode & 0o077) !== 0) return "open-mode";
  if (found.size > bytesMax) return "too-long";
  const key = Buffer.from((await handle.readFile("latin1")).trim(), "latin1");
  return key.length < bytesMin ? "too-short" : key;
}

/** @throws APPROVAL_UNAVAILABLE */
export async function readWebhookKey(file: string, uid: number, approval: string): Promise<Uint8Array> {
  let found: Uint8Array | string;
  try {
    // Nothing here follows a link or waits for a writer.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    found = await readKey(handle, uid);
  } catch (error) {
    found = systemErrorCode(error) ?? "unknown";
  }
  if (typeof found !== "string") return found;
  throw new GloveboxError("APPROVAL_UNAVAILABLE", "approval.webhook-key", { values: { approval, file, reason: found } });
}
