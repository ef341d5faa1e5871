// Reads stored records for people and answer sheets: no lock, no writing, details decrypted where the task's key still exists.
// It trusts checksums only; whether the log was altered is the business of verify.ts.
import { readFileSync, readdirSync } from "node:fs";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { type TaskId, taskIdSchema } from "../contracts/ids.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import { type BlobReference, envelopeSchema, recordBodySchemas } from "../contracts/ledger-record.ts";
import { readBlob } from "./blobs.ts";
import { holdsWholeFrame, readFrame } from "./frame.ts";
import { type Layout, layoutOf, segmentIndex } from "./layout.ts";
import { inconsistent, unreadable } from "./ledger-errors.ts";
import { checkPrivateDirectory, readPrivateFile } from "./state-directory.ts";
import { readLink } from "./stored-bytes.ts";
import { decrypt, keptContext, readTaskKey } from "./task-keys.ts";

export interface LedgerReader {
  /** Newest first. `limit` counts records. An absent ledger is an empty one. @throws LEDGER_INCONSISTENT, LEDGER_UNREADABLE */
  list(filter: { readonly task?: string; readonly limit: number }): readonly StoredRecord[];
  /** @throws USAGE_INVALID when there is no such record */
  read(seq: number): StoredRecord;
  /** All records of a task, oldest first. @throws TASK_UNKNOWN */
  task(task: string): readonly StoredRecord[];
  /** Opens what `openSealer` sealed; undefined for what it did not seal, or when the task was erased. */
  unsealer(task: TaskId): (name: string, bytes: Uint8Array) => Uint8Array | undefined;
}

/** Whole frames of one segment in order; a torn tail is left out. */
function framesOf(bytes: Buffer, segment: number): readonly Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const frame = readFrame(bytes, at);
    if (frame.kind !== "frame") {
      // A writer may be in the middle of its write; only a wrong frame with a whole one behind it is damage.
      if (!holdsWholeFrame(bytes.subarray(at))) break;
      const first = frames[0] === undefined ? undefined : readLink(frames[0]);
      throw inconsistent("ledger.damaged", { segment, seq: (first?.seq ?? 0) + frames.length });
    }
    frames.push(frame.bytes);
    at = frame.end;
  }
  return frames;
}

class DirectoryReader implements LedgerReader {
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  #segments(): readonly number[] {
    try {
      checkPrivateDirectory(this.#layout.state);
      return readdirSync(this.#layout.ledger)
        .flatMap((name) => segmentIndex(name) ?? [])
        .toSorted((left, right) => left - right);
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return [];
      throw error;
    }
  }

  #frames(segment: number): readonly Buffer[] {
    return framesOf(readFileSync(this.#layout.segment(segment)), segment);
  }

  #detail(task: TaskId | undefined, blob: BlobReference | undefined): Readonly<Record<string, unknown>> | undefined {
    if (task === undefined || blob === undefined) return undefined;
    const seal = readPrivateFile(this.#layout.sealKey);
    const key = seal === undefined ? undefined : readTaskKey(this.#layout, { seal, task });
    return key === undefined ? undefined : readBlob({ layout: this.#layout, task, key }, blob);
  }

  #stored(bytes: Buffer, segment: number): StoredRecord {
    try {
      const { seq, ts, type, task, action, policy, body, blob } = envelopeSchema().parse(JSON.parse(bytes.toString("utf8")));
      return { seq, ts, type, task, action, policy, body: recordBodySchemas[type]().parse(body), detail: this.#detail(task, blob) };
    } catch (error) {
      // What the system did not let us read says nothing about the record.
      if (error instanceof GloveboxError || systemErrorCode(error) !== undefined) throw error;
      throw new GloveboxError("LEDGER_INCONSISTENT", "ledger.unreadable-record", { values: { segment }, cause: error });
    }
  }

  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw unreadable(error, this.#layout.ledger);
    }
  }

  list(filter: { readonly task?: string; readonly limit: number }): readonly StoredRecord[] {
    return this.#reading(() => this.#list(filter));
  }

  #list(filter: { readonly task?: string; readonly limit: number }): readonly StoredRecord[] {
    const found: StoredRecord[] = [];
    const mark = filter.task === undefined ? undefined : `"task":${JSON.stringify(filter.task)}`;
    for (const segment of this.#segments().toReversed()) {
      for (const bytes of this.#frames(segment).toReversed()) {
        if (found.length >= filter.limit) return found;
        if (mark !== undefined && !bytes.includes(mark)) continue;
        const record = this.#stored(bytes, segment);
        if (filter.task === undefined || record.task === filter.task) found.push(record);
      }
    }
    return found;
  }

  read(seq: number): StoredRecord {
    return this.#reading(() => this.#read(seq));
  }

  #read(seq: number): StoredRecord {
    for (const segment of this.#segments().toReversed()) {
      const frames = this.#frames(segment);
      const first = frames[0];
      if (first === undefined) continue;
      const bytes = frames[seq - this.#stored(first, segment).seq];
      if (bytes !== undefined) return this.#stored(bytes, segment);
    }
    throw new GloveboxError("USAGE_INVALID", "ledger.record-unknown", { values: { seq } });
  }

  unsealer(task: TaskId): (name: string, bytes: Uint8Array) => Uint8Array | undefined {
    const seal = readPrivateFile(this.#layout.sealKey);
    const key = seal === undefined ? undefined : readTaskKey(this.#layout, { seal, task });
    return (name, bytes) =>
      key === undefined ? undefined : decrypt(Buffer.from(bytes), { key: key.data, context: keptContext(task, name) });
  }

  task(task: string): readonly StoredRecord[] {
    const records = taskIdSchema.safeParse(task).success ? this.list({ task, limit: Number.POSITIVE_INFINITY }) : [];
    if (records.length === 0) throw new GloveboxError("TASK_UNKNOWN", "ledger.task-unknown", { values: { task } });
    return records.toReversed();
  }
}

/** @param options.directory the state directory */
export function openLedgerReader(options: { readonly directory: string }): LedgerReader {
  return new DirectoryReader(layoutOf(options.directory));
}
