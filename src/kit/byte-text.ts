// Bytes that may not be UTF-8 as text and back, without loss: a byte that is not part of a valid sequence becomes a lone low surrogate
// (0xDC00 + byte), as in Python's surrogateescape (PEP 383). Valid UTF-8 never holds one, so nothing is ambiguous.

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

function decodeValid(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined; // not UTF-8, which is all that decode can say
  }
}

/** Never fails and loses nothing. */
export function decodeByteText(bytes: Uint8Array): string {
  const whole = decodeValid(bytes);
  if (whole !== undefined) return whole;
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes[at] ?? 0);
    const part = length === 0 || at + length > bytes.length ? undefined : decodeValid(bytes.subarray(at, at + length));
    text += part ?? String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += part === undefined ? 1 : length;
  }
  return text;
}

/** The bytes again. Any other lone surrogate becomes U+FFFD, as everywhere in Node. */
export function encodeByteText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const parts = Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - 0xdc00]) : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

/** For records, which hold only well-formed text: such a byte is written `\xHH`. */
export function wellFormedByteText(text: string): string {
  return text.replaceAll(/[\uDC80-\uDCFF]/gu, (character) => `\\x${(character.charCodeAt(0) - 0xdc00).toString(16)}`).toWellFormed();
}
