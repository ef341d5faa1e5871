// The bytes of one record: built canonically when written, and looked into as far as the chain needs when read back.
import type { Clock } from "../contracts/clock.ts";
import type { TaskId } from "../contracts/ids.ts";
import type { BlobReference, RecordBody, RecordType } from "../contracts/ledger-record.ts";
import { canonicalJson } from "../kit/canonical-json.ts";

/** A checked record that only lacks its place in the log. */
export interface PreparedRecord {
  readonly type: RecordType;
  readonly task: string | undefined;
  readonly action: string | undefined;
  readonly policy: string | undefined;
  /** Canonical JSON: made once, outside the lock. */
  readonly bodyText: string;
  readonly blob: BlobReference | undefined;
}

/** A record that the log writes about itself. */
export function ownRecord<T extends RecordType & `log.${string}`>(type: T, body: RecordBody<T>, task?: TaskId): PreparedRecord {
  return { type, task, action: undefined, policy: undefined, bodyText: canonicalJson(body), blob: undefined };
}

export interface Place {
  readonly log: string;
  readonly seq: number;
  /** Leaf hash of the record before, hex. */
  readonly prev: string;
}

/** The canonical bytes of a leaf. The members stand in canonical order, so that the body need not be written a second time. */
export function recordBytes(record: PreparedRecord, place: Place, clock: Clock): Buffer {
  const { type, task, action, policy, bodyText, blob } = record;
  const ts = new Date(clock.wallMs()).toISOString();
  const optional = (name: string, value: unknown): string => (value === undefined ? "" : `"${name}":${canonicalJson(value)},`);
  return Buffer.from(
    `{${optional("action", action)}${optional("blob", blob)}"body":${bodyText},"boot":${canonicalJson(clock.bootId)},` +
      `"log":"${place.log}","mono":"${clock.monotonicNs()}",${optional("policy", policy)}"prev":"${place.prev}","seq":${place.seq},` +
      `${optional("task", task)}"ts":"${ts}","type":"${type}","v":1}`,
  );
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
