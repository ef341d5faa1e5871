// Walks the records of all segments in order and says what does not follow. Pure: bytes in, findings out.
import type { VerifyReport } from "../../contracts/door.ts";
import { type Frame, frameAt, nextSoundFrame } from "./frames.ts";
import { type JsonValue, readStrictJson } from "./strict-json.ts";
import { Tree, leafOf } from "./tree.ts";

export type Finding = VerifyReport["findings"][number];

export interface BlobMention {
  readonly task: string;
  readonly digest: string;
  readonly segment: string;
  readonly seq: number;
}

/** Files that a command handed back: how many they lie in, and a digest over the digest of each. */
export interface ArtifactMention {
  readonly task: string;
  readonly action: string;
  readonly until: string;
  /** What was handed back. */
  readonly files: number;
  readonly pieces: number;
  readonly content: string;
  readonly segment: string;
  readonly seq: number;
}

interface Fields {
  readonly log: string;
  readonly seq: number;
  readonly prev: string;
  readonly type: string;
  readonly body: ReadonlyMap<string, JsonValue>;
  readonly task: string;
  readonly action: string;
  readonly blob: { readonly task: string; readonly digest: string } | undefined;
}

function asMap(value: JsonValue | undefined): ReadonlyMap<string, JsonValue> | undefined {
  return value instanceof Map ? value : undefined;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** undefined when the value is not an envelope of format 1. */
function envelope(value: JsonValue): Fields | undefined {
  const record = asMap(value);
  const [log, seq, prev, type] = ["log", "seq", "prev", "type"].map((name) => record?.get(name));
  const body = asMap(record?.get("body"));
  const numbered = typeof seq === "number" && Number.isSafeInteger(seq) && seq >= 0;
  if (record?.get("v") !== 1 || !numbered || typeof log !== "string" || typeof prev !== "string" || typeof type !== "string")
    return undefined;
  if (body === undefined) return undefined;
  const [task, digest] = [record.get("task"), asMap(record.get("blob"))?.get("digest")];
  const blob = typeof task === "string" && typeof digest === "string" ? { task, digest } : undefined;
  return { log, seq, prev, type, body, task: textOf(task), action: textOf(record.get("action")), blob };
}

export interface WalkOptions {
  /** Largest size that a head with a good signature vouches for. */
  readonly signedSize: number;
  /** Called after each record of an unbroken tree. */
  readonly onSize: (tree: Tree) => void;
}

const noRecord = "0".repeat(64);

export class Walk {
  readonly findings: Finding[] = [];
  readonly blobs: BlobMention[] = [];
  readonly artifacts: ArtifactMention[] = [];
  readonly tree = new Tree();
  /** Records read, sound or not. */
  records = 0;
  /** The sequence number that must come next; so the size of the log as it claims to be. */
  expected = 0;
  /** False once a record is missing or unreadable in place: no root can be computed from there on. */
  whole = true;
  log: string | undefined;
  readonly #options: WalkOptions;
  #previous: string | undefined = noRecord;
  #segment = "";

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  #find(exit: Finding["exit"], situation: string, found: { readonly seq: number; readonly values?: Finding["values"] }): void {
    const { seq, values = {} } = found;
    const known = this.findings.some((one) => one.seq === seq && one.exit === exit && one.segment === this.#segment);
    if (!known) this.findings.push({ exit, segment: this.#segment, seq, situation, values: { seq, segment: this.#segment, ...values } });
  }

  /** @returns where the next frame starts; `bytes.length` when there is none */
  step(bytes: Buffer, at: number, segment: { readonly name: string; readonly last: boolean }): number {
    this.#segment = segment.name;
    const frame = frameAt(bytes, at);
    if (frame.kind === "whole" && frame.sound) {
      this.#record(frame.bytes);
      return frame.end;
    }
    return this.#unsound(bytes, { at, frame, last: segment.last });
  }

  #unsound(bytes: Buffer, place: { readonly at: number; readonly frame: Frame; readonly last: boolean }): number {
    const { at, frame, last } = place;
    const seq = this.expected;
    const next = nextSoundFrame(bytes, at);
    const signed = seq < this.#options.signedSize;
    if (last && next === undefined && (!signed || frame.kind === "rest")) {
      // What was signed and is cut short is reported as truncated, once the heads are compared.
      if (!signed) this.#find(5, "torn-tail", { seq, values: { bytes: bytes.length - at } });
      return bytes.length;
    }
    this.#find(1, "damaged-frame", { seq });
    if (frame.kind === "whole" && (next === undefined || next >= frame.end)) {
      this.#record(frame.bytes);
      return frame.end;
    }
    this.whole = false;
    this.#previous = undefined;
    return next ?? bytes.length;
  }

  #record(bytes: Buffer): void {
    this.records += 1;
    const read = readStrictJson(bytes);
    const fields = "value" in read ? envelope(read.value) : undefined;
    if (fields === undefined)
      this.#find(6, "unreadable-record", { seq: this.expected, values: { problem: "problem" in read ? read.problem : "shape" } });
    else if (!this.#inOrder(fields)) return;
    const leaf = leafOf(bytes);
    this.#previous = leaf.toString("hex");
    this.expected += 1;
    if (fields !== undefined) this.#note(fields);
    if (!this.whole) return;
    this.tree.add(leaf);
    this.#options.onSize(this.tree);
  }

  /** Judges number, log and chain; false when the record has no place in the log. */
  #inOrder(fields: Fields): boolean {
    const { seq } = fields;
    if (seq < this.expected) {
      this.#find(1, "out-of-order", { seq, values: { expected: this.expected } });
      return false;
    }
    if (seq > this.expected) {
      // After damage that hid a record's extent, the numbers only say how much it covered.
      if (this.#previous !== undefined) this.#find(4, "missing-records", { seq: this.expected, values: { count: seq - this.expected } });
      this.whole = false;
      this.#previous = undefined;
      this.expected = seq;
    }
    this.log ??= fields.log;
    if (fields.log !== this.log) this.#find(1, "other-log", { seq });
    if (this.#previous !== undefined && fields.prev !== this.#previous) {
      this.#find(1, "chain-broken", { seq: Math.max(0, seq - 1), values: { next: seq } });
    }
    return true;
  }

  #note(fields: Fields): void {
    const { seq, type, body, blob, task, action } = fields;
    const segment = this.#segment;
    if (type === "log.recovered") this.#find(5, "recovered", { seq, values: { bytes: Number(body.get("tornBytes") ?? 0) } });
    if (blob !== undefined) this.blobs.push({ ...blob, segment, seq });
    if (type !== "execution.artifacts") return;
    const [until, content] = [textOf(body.get("keptUntil")), textOf(body.get("content"))];
    this.artifacts.push({
      task,
      action,
      until,
      content,
      files: Number(body.get("artifacts") ?? 0),
      pieces: Number(body.get("pieces") ?? 0),
      segment,
      seq,
    });
  }
}
