// The bytes of one record: built canonically when written, and looked into as far as the chain needs when read back.
import type { Clock } from "../contracts/clock.ts";
import type { BlobReference, RecordType } from "../contracts/ledger-record.ts";
import { canonicalJson } from "../kit/canonical-json.ts";

/** A checked record that only lacks its place in the log. */
export interface PreparedRecord {
  readonly type: RecordType;
  readonly task: string | undefined;
  readonly action: string | undefined;
  readonly policy: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly blob: BlobReference | undefined;
}

export interface Place {
  readonly log: string;
  readonly seq: number;
  /** Leaf hash of the record before, hex. */
  readonly prev: string;
}

/** The canonical bytes of a leaf. @throws TypeError when the body holds what JSON cannot */
export function recordBytes(record: PreparedRecord, place: Place, clock: Clock): Buffer {
  const envelope: Record<string, unknown> = {
    v: 1,
    log: place.log,
    seq: place.seq,
    prev: place.prev,
    ts: new Date(clock.wallMs()).toISOString(),
    mono: String(clock.monotonicNs()),
    boot: clock.bootId,
    type: record.type,
    body: record.body,
  };
  for (const name of ["task", "action", "policy", "blob"] as const) {
    if (record[name] !== undefined) envelope[name] = record[name];
  }
  return Buffer.from(canonicalJson(envelope));
}

/** What following the chain needs of a stored record. */
export interface ChainLink extends Place {
  readonly type: string;
  /** The next segment's number, in `log.rotated`. */
  readonly segment: number | undefined;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}

/** undefined when the bytes are no record. Their checksum was right, so this is damage or forgery, not a torn write. */
export function readLink(bytes: Buffer): ChainLink | undefined {
  let record: unknown;
  try {
    record = JSON.parse(bytes.toString("utf8"));
  } catch {
    // fails closed because the caller refuses a log that holds such bytes
    return undefined;
  }
  const [log, seq, prev, type] = [field(record, "log"), field(record, "seq"), field(record, "prev"), field(record, "type")];
  if (typeof log !== "string" || typeof seq !== "number" || typeof prev !== "string" || typeof type !== "string") return undefined;
  const segment = type === "log.rotated" ? field(field(record, "body"), "segment") : undefined;
  return { log, seq, prev, type, segment: typeof segment === "number" ? segment : undefined };
}
