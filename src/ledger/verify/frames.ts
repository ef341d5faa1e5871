// Finds the frames of a segment: `u32le length | u32le crc32c | bytes | \n`. Own checksum; shares nothing with the writer.

const longest = 64 * 1024;
const header = 8;

/** CRC-32C bit by bit through a table of nibbles: slower than the writer's and unlike it. */
const nibbles = [
  0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6,
  0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
];

export function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value = (value >>> 4) ^ (nibbles[(value ^ byte) & 0x0f] ?? 0);
    value = (value >>> 4) ^ (nibbles[(value ^ (byte >>> 4)) & 0x0f] ?? 0);
  }
  return ~value >>> 0;
}

export type Frame =
  /** `sound` is false when checksum or terminator are wrong but the place of the next frame is still known. */
  | { readonly kind: "whole"; readonly sound: boolean; readonly bytes: Buffer; readonly end: number }
  /** Bytes that no frame can be made of, to the end of the segment. */
  | { readonly kind: "rest" };

export function frameAt(segment: Buffer, at: number): Frame {
  if (segment.length - at < header + 2) return { kind: "rest" };
  const length = segment.readUInt32LE(at);
  const end = at + header + length + 1;
  if (length === 0 || length > longest || end > segment.length) return { kind: "rest" };
  const bytes = segment.subarray(at + header, end - 1);
  return { kind: "whole", sound: segment[end - 1] === 0x0a && checksum(bytes) === segment.readUInt32LE(at + 4), bytes, end };
}

/** Where the next sound frame starts after `at`, or undefined. */
export function nextSoundFrame(segment: Buffer, at: number): number | undefined {
  for (let start = at + 1; start < segment.length - header; start += 1) {
    if (segment[start + header] !== 0x7b) continue;
    const frame = frameAt(segment, start);
    if (frame.kind === "whole" && frame.sound) return start;
  }
  return undefined;
}
