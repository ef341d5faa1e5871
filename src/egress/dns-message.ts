// DNS messages (RFC 1035), as much as a gate needs: one question in, one answer out. Compression in a question, several questions, responses and
// other operations are refused; what stands behind the question (EDNS) is not read.
import { isCanonicalName } from "../kit/host-name.ts";

export const dnsTypes = { a: 1, soa: 6, aaaa: 28, svcb: 64, https: 65 } as const;
export const dnsCodes = { ok: 0, malformed: 1, noName: 3, unsupported: 4, refused: 5 } as const;

export interface DnsQuestion {
  readonly id: number;
  /** Lower case, without the root's dot. */
  readonly name: string;
  readonly type: number;
  /** As it was asked: the answer repeats it to the letter. */
  readonly bytes: Uint8Array;
  readonly wantsRecursion: boolean;
}

export type DnsReading =
  | { readonly kind: "question"; readonly question: DnsQuestion }
  /** `undefined`: not even a header, or a response: nothing is answered. */
  | { readonly kind: "invalid"; readonly answer: Uint8Array | undefined };

const headerLength = 12;
const internet = 1;

function header(id: number, flags: number, counts: readonly [number, number]): Buffer {
  const bytes = Buffer.alloc(headerLength);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(flags, 2);
  bytes.writeUInt16BE(counts[0], 4);
  bytes.writeUInt16BE(counts[1], 6);
  return bytes;
}

/** Response, authoritative, recursion available. */
const responseFlags = 0x8480;

/** The labels of a name, and where it ends; undefined when it is none or is compressed. */
function readName(bytes: Buffer): { readonly name: string; readonly end: number } | undefined {
  const labels: string[] = [];
  for (let at = headerLength; at < bytes.length && at - headerLength < 255;) {
    const length = bytes[at] ?? 0;
    if (length === 0) return { name: labels.join(".").toLowerCase(), end: at + 1 };
    if (length > 63 || at + 1 + length > bytes.length) return undefined;
    labels.push(bytes.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return undefined;
}

export function readDnsQuery(datagram: Uint8Array): DnsReading {
  const bytes = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength);
  if (bytes.length < headerLength) return { kind: "invalid", answer: undefined };
  const id = bytes.readUInt16BE(0);
  const flags = bytes.readUInt16BE(2);
  if ((flags & 0x8000) !== 0) return { kind: "invalid", answer: undefined };
  const refuse = (code: number): DnsReading => ({ kind: "invalid", answer: header(id, responseFlags | (flags & 0x0100) | code, [0, 0]) });
  if ((flags & 0x7800) !== 0) return refuse(dnsCodes.unsupported);
  const [questions, answers, authorities] = [4, 6, 8].map((at) => bytes.readUInt16BE(at));
  const found = questions === 1 && answers === 0 && authorities === 0 ? readName(bytes) : undefined;
  if (found === undefined || found.end + 4 > bytes.length) return refuse(dnsCodes.malformed);
  const { name, end } = found;
  if (bytes.readUInt16BE(end + 2) !== internet) return refuse(dnsCodes.refused);
  // A label with a dot or a space inside is some other name than it seems.
  if (!isCanonicalName(name)) return refuse(dnsCodes.noName);
  const question = {
    id,
    name,
    type: bytes.readUInt16BE(end),
    bytes: bytes.subarray(headerLength, end + 4),
    wantsRecursion: (flags & 0x0100) !== 0,
  };
  return { kind: "question", question };
}

/** The same question for something else. */
export function askedFor(type: number, datagram: Uint8Array, { bytes }: DnsQuestion): Buffer {
  const other = Buffer.from(datagram);
  other.writeUInt16BE(type, headerLength + bytes.length - 4);
  return other;
}

/** @param address 4 or 16 bytes for the answer's only record; undefined: none */
export function dnsAnswer(question: DnsQuestion, code: number, address?: Uint8Array): Uint8Array {
  const flags = responseFlags | (question.wantsRecursion ? 0x0100 : 0) | code;
  const start = [header(question.id, flags, [1, address === undefined ? 0 : 1]), question.bytes];
  if (address === undefined) return Buffer.concat(start);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc000 | headerLength, 0);
  record.writeUInt16BE(address.length === 4 ? dnsTypes.a : dnsTypes.aaaa, 2);
  record.writeUInt16BE(internet, 4);
  record.writeUInt32BE(answerSeconds, 6);
  record.writeUInt16BE(address.length, 10);
  return Buffer.concat([...start, record, address]);
}

/** Placeholders hold as long as the sandbox. */
const answerSeconds = 300;
