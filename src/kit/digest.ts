// SHA-256 in the two spellings we use.
import { createHash } from "node:crypto";

export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** `sha256:` + hex, the spelling of a Digest. */
export function sha256Digest(bytes: Uint8Array | string): string {
  return `sha256:${sha256Hex(bytes)}`;
}
