// What somebody with a hex editor and time can do to a ledger, written from the format alone: shares no code with src/ledger.
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";

export type Files = Readonly<Record<string, Buffer>>;

const segmentName = "ledger/segment-00000000.log";
const headsName = "ledger/heads.log";

function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

export function frame(record: Uint8Array, crc = crc32c(record)): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(record.length, 0);
  header.writeUInt32LE(crc, 4);
  return Buffer.concat([header, record, Buffer.from("\n")]);
}

/** The records of the first segment. */
export function recordsOf(files: Files, name = segmentName): Buffer[] {
  const bytes = files[name] ?? Buffer.alloc(0);
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 9 + bytes.readUInt32LE(at)) {
    records.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at)));
  }
  return records;
}

export function withRecords(files: Files, records: readonly Uint8Array[]): Files {
  return { ...files, [segmentName]: Buffer.concat(records.map((record) => frame(record))) };
}

export const leaf = (record: Uint8Array): Buffer => sha256(Uint8Array.of(0), record);

/** RFC 9162 section 2.1.1, as it stands there. */
export function treeRoot(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return sha256("");
  if (leaves.length === 1) return first;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Uint8Array.of(1), treeRoot(leaves.slice(0, split)), treeRoot(leaves.slice(split)));
}

/** Makes every record name the hash of the one before, and number itself when asked to. */
export function rechain(records: readonly Buffer[], renumber = false): Buffer[] {
  let previous = "0".repeat(64);
  return records.map((record, index) => {
    let text = record.toString("latin1").replace(/"prev":"[0-9a-f]{64}"/u, `"prev":"${previous}"`);
    if (renumber) text = text.replace(/"seq":\d+/u, `"seq":${index}`);
    const changed = Buffer.from(text, "latin1");
    previous = leaf(changed).toString("hex");
    return changed;
  });
}

export interface Signer {
  readonly name: string;
  readonly verifierKey: string;
  signNote(text: string): string;
}

export function signerFrom(seed: Uint8Array, name: string): Signer {
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
    format: "der",
    type: "pkcs8",
  });
  const typed = Buffer.concat([Buffer.of(1), createPublicKey(key).export({ format: "der", type: "spki" }).subarray(12)]);
  const id = sha256(`${name}\n`, typed).subarray(0, 4);
  return {
    name,
    verifierKey: `${name}+${id.toString("hex")}+${typed.toString("base64")}`,
    signNote: (text) => `${text}\n— ${name} ${Buffer.concat([id, sign(null, Buffer.from(text), key)]).toString("base64")}\n`,
  };
}

/** A tree head without extension lines over the first `size` records. */
export function headOver(records: readonly Buffer[], signer: Signer, size = records.length): string {
  const root = treeRoot(records.slice(0, size).map((record) => leaf(record)));
  return signer.signNote(`${signer.name}\n${size}\n${root.toString("base64")}\n`);
}

export function withHeads(files: Files, heads: string): Files {
  return { ...files, [headsName]: Buffer.from(heads) };
}

/** Every note of the heads file. */
export function headsOf(files: Files): string[] {
  const text = (files[headsName] ?? Buffer.alloc(0)).toString("utf8");
  return text.split(/(?<=\n— \S+ \S+\n)/u);
}
