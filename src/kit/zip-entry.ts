// Reads one small file out of a ZIP archive (APPNOTE.TXT 6.3): stored or deflated, without ZIP64, encryption or spanning.
import { inflateRawSync } from "node:zlib";

const endSignature = 0x06_05_4b_50;
const entrySignature = 0x02_01_4b_50;
const localSignature = 0x04_03_4b_50;
const endBytes = 22;

function findEnd(archive: Buffer): number | undefined {
  const first = Math.max(0, archive.length - endBytes - 65_535);
  for (let at = archive.length - endBytes; at >= first; at -= 1) if (archive.readUInt32LE(at) === endSignature) return at;
  return undefined;
}

function contentAt(archive: Buffer, entry: number, maximumBytes: number): Buffer | undefined {
  const method = archive.readUInt16LE(entry + 10);
  const packed = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  if ((archive.readUInt16LE(entry + 8) & 1) !== 0 || archive.readUInt32LE(local) !== localSignature) return undefined;
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(start, start + packed);
  if (method === 0) return bytes.length <= maximumBytes ? bytes : undefined;
  return method === 8 ? inflateRawSync(bytes, { maxOutputLength: maximumBytes }) : undefined;
}

/** undefined: not such an archive, no such entry, or one larger than `maximumBytes`. */
export function readZipEntry(archive: Buffer, name: string, maximumBytes: number): Buffer | undefined {
  try {
    const end = findEnd(archive);
    if (end === undefined) return undefined;
    let at = archive.readUInt32LE(end + 16);
    for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
      if (archive.readUInt32LE(at) !== entrySignature) return undefined;
      const nameBytes = archive.readUInt16LE(at + 28);
      if (archive.toString("utf8", at + 46, at + 46 + nameBytes) === name) return contentAt(archive, at, maximumBytes);
      at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    }
    return undefined;
  } catch {
    return undefined; // an offset beyond the end, or bytes that do not inflate: no archive that we can read
  }
}
