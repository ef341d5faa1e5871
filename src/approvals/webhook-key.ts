// The key that signs questions and answers of the places which a policy names: a file of this user alone, in the directory of the user's own policy,
// which no sandbox sees.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { readOwnBytes } from "./own-file.ts";

const bytesMin = 32;
const bytesMax = 1024;

async function readKey(file: string, uid: number): Promise<Uint8Array | string> {
  const found = await readOwnBytes(file, { owners: [uid], closedTo: 0o077, maximumBytes: bytesMax });
  if (typeof found === "string") return found;
  const key = Buffer.from(Buffer.from(found).toString("latin1").trim(), "latin1");
  return key.length < bytesMin ? "too-short" : key;
}

/** @throws APPROVAL_UNAVAILABLE */
export async function readWebhookKey(file: string, uid: number, approval: string): Promise<Uint8Array> {
  const found = await readKey(file, uid);
  if (typeof found !== "string") return found;
  throw new GloveboxError("APPROVAL_UNAVAILABLE", "approval.webhook-key", { values: { approval, file, reason: found } });
}
