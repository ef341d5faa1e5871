// Bytes of a policy file -> text, or a fault. Repairs nothing: a byte that cannot be understood is a finding.
import { failSource } from "./source-fault.ts";

/** A policy is written by a person; more than this is not one. */
export const maximumSourceBytes = 256 * 1024;

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // fails closed because the only thing decode can throw is that the bytes are not UTF-8
    return failSource("policy.not-utf8", lineOfBadByte(bytes));
  }
}

/** 1-based line of the first byte that is not UTF-8. */
function lineOfBadByte(bytes: Uint8Array): number {
  const replaced = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return lineAt(replaced, replaced.indexOf("\uFFFD"));
}

/** 1-based line of a position. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/**
 * One leading byte order mark is dropped; CRLF and lone CR become LF, so that all three formats count lines alike.
 * @throws SourceFault policy.too-large, policy.not-utf8, policy.nul-byte
 */
export function readSourceText(source: string | Uint8Array, maximum = maximumSourceBytes): string {
  const bytes = typeof source === "string" ? Buffer.byteLength(source) : source.byteLength;
  if (bytes > maximum) failSource("policy.too-large", 0, { bytes, maximum });
  const decoded = typeof source === "string" ? source : decode(source);
  if (!decoded.isWellFormed()) failSource("policy.not-utf8", 0);
  const text = (decoded.startsWith("\uFEFF") ? decoded.slice(1) : decoded).replaceAll(/\r\n?/gu, "\n");
  const nul = text.indexOf("\0");
  if (nul !== -1) failSource("policy.nul-byte", lineAt(text, nul));
  return text;
}
