// One record on disk: `u32le length | u32le crc32c | bytes | \n`, length and checksum of the bytes alone.

/** Longest record in bytes; what is larger belongs in a blob. */
export const maximumRecordBytes = 64 * 1024;
const headerBytes = 8;
const newline = 0x0a;

const castagnoli = 0x82f63b78;
const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ castagnoli : value >>> 1;
  return value;
});

/** CRC-32C (RFC 3720 appendix B.4); node:zlib has only CRC-32. */
export function crc32c(bytes: Uint8Array): number {
  let value = 0xffffffff;
  // By index: several times faster than an iterator.
  for (let index = 0; index < bytes.length; index += 1) value = (value >>> 8) ^ (table[(value ^ (bytes[index] ?? 0)) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}

export function encodeFrame(bytes: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + bytes.length + 1);
  frame.writeUInt32LE(bytes.length, 0);
  frame.writeUInt32LE(crc32c(bytes), 4);
  bytes.copy(frame, headerBytes);
  frame[frame.length - 1] = newline;
  return frame;
}

/** `incomplete`: more bytes could still make it whole. `broken`: none could. */
export type FrameRead =
  | { readonly kind: "frame"; readonly bytes: Buffer; readonly end: number }
  | { readonly kind: "incomplete" | "broken" };

/** Reads the frame that starts at `start` of `buffer`. */
export function readFrame(buffer: Buffer, start: number): FrameRead {
  if (buffer.length - start < headerBytes) return { kind: "incomplete" };
  const length = buffer.readUInt32LE(start);
  if (length === 0 || length > maximumRecordBytes) return { kind: "broken" };
  const end = start + headerBytes + length + 1;
  if (end > buffer.length) return { kind: "incomplete" };
  const bytes = buffer.subarray(start + headerBytes, end - 1);
  if (buffer[end - 1] !== newline || crc32c(bytes) !== buffer.readUInt32LE(start + 4)) return { kind: "broken" };
  return { kind: "frame", bytes, end };
}

/**
 * Whether a whole frame starts anywhere after the first byte. A crash tears the last write only, so a region that still holds a
 * whole record was damaged in its middle and must not pass for a torn tail.
 */
export function holdsWholeFrame(region: Buffer): boolean {
  for (let start = 1; start + headerBytes < region.length; start += 1) {
    // Every record is a JSON object: cheap to rule out before the checksum.
    if (region[start + headerBytes] === 0x7b && readFrame(region, start).kind === "frame") return true;
  }
  return false;
}
