// The authorities that a policy names for a place: a file that only its owner or root can have written, read anew for each question.
import { X509Certificate } from "node:crypto";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { readOwnBytes } from "./own-file.ts";

const bytesMax = 256 * 1024;
const certificates = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gu;

/** TLS takes a file without certificates for one that trusts nobody, and says only that the place is not to be trusted. */
function isBundle(pem: string): boolean {
  const found = pem.match(certificates) ?? [];
  try {
    return found.length > 0 && found.every((text) => new X509Certificate(text).subject !== undefined);
  } catch {
    return false;
  }
}

async function readPem(file: string, uid: number): Promise<{ readonly pem: string } | string> {
  const found = await readOwnBytes(file, { owners: [uid, 0], closedTo: 0o022, maximumBytes: bytesMax });
  if (typeof found === "string") return found;
  const pem = Buffer.from(found).toString("latin1");
  return isBundle(pem) ? { pem } : "no-certificate";
}

/** PEM. @throws APPROVAL_UNAVAILABLE */
export async function readWebhookAuthorities(file: string, uid: number, approval: string): Promise<string> {
  const found = await readPem(file, uid);
  if (typeof found !== "string") return found.pem;
  throw new GloveboxError("APPROVAL_UNAVAILABLE", "approval.webhook-authorities", { values: { approval, file, reason: found } });
}
