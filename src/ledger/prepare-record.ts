// From what a caller hands over to a record that only lacks its place: checked, redacted, its detail encrypted beside the log.
import { createHmac } from "node:crypto";
import { actionIdSchema, digestSchema, taskIdSchema } from "../contracts/ids.ts";
import { type NewRecord, recordBodySchemas } from "../contracts/ledger-record.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { maximumDetailBytes, writeBlob } from "./blobs.ts";
import type { DurableFiles } from "./durable-files.ts";
import { maximumRecordBytes } from "./frame.ts";
import type { Layout } from "./layout.ts";
import { refusedValue, unwritable } from "./ledger-errors.ts";
import type { Redact, SecretTag } from "./redact.ts";
import type { PreparedRecord } from "./stored-bytes.ts";
import type { TaskKey, TaskKeys } from "./task-keys.ts";

/** Room for everything in a leaf that is not the body. */
const envelopeBytes = 2048;

export interface PrepareOptions {
  readonly layout: Layout;
  readonly files: DurableFiles;
  readonly taskKeys: TaskKeys;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly redact: Redact;
  readonly onDirty: (path: string) => void;
}

/** Eight hex digits of a keyed hash, so that equal secrets of one task can be told to be equal. */
function secretTag(key: TaskKey): SecretTag {
  return (secret) => `[redacted:${createHmac("sha256", key.salt).update(`redacted\n${secret}`).digest("hex").slice(0, 8)}]`;
}

/** @throws LEDGER_VALUE_REFUSED */
function checkedBody(record: NewRecord): string {
  const parsed = recordBodySchemas[record.type]().safeParse(record.body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw refusedValue(record.type, `${issue?.path.join(".") ?? ""}: ${issue?.code ?? "invalid"}`);
  }
  // Members that are present but undefined have no JSON form.
  const body = Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
  const text = canonicalText(record.type, body);
  if (Buffer.byteLength(text) > maximumRecordBytes - envelopeBytes) throw refusedValue(record.type, "body: too large");
  return text;
}

function canonicalText(type: string, value: unknown): string {
  try {
    return canonicalJson(value);
  } catch (error) {
    throw refusedValue(type, error instanceof Error ? error.message : "not canonical");
  }
}

function checkIds(record: NewRecord): void {
  const { type, task, action, policy } = record;
  if (task !== undefined && !taskIdSchema.safeParse(task).success) throw refusedValue(type, "task: invalid");
  if (action !== undefined && !actionIdSchema.safeParse(action).success) throw refusedValue(type, "action: invalid");
  if (policy !== undefined && !digestSchema.safeParse(policy).success) throw refusedValue(type, "policy: invalid");
}

/** @throws LEDGER_VALUE_REFUSED, LEDGER_UNWRITABLE */
export function prepareRecord(record: NewRecord, options: PrepareOptions): PreparedRecord {
  const { type, task, action, policy, detail } = record;
  if (!Object.hasOwn(recordBodySchemas, type)) throw refusedValue("unknown", "type: unknown");
  if (type.startsWith("log.")) throw refusedValue(type, "type: written by the ledger itself");
  checkIds(record);
  const bodyText = checkedBody(record);
  if (detail === undefined) return { type, task, action, policy, bodyText, blob: undefined };
  if (task === undefined) throw refusedValue(type, "detail: needs a task");
  const { layout, files, taskKeys, randomBytes, redact, onDirty } = options;
  try {
    const key = taskKeys.get(task);
    const text = canonicalText(type, redact(detail, secretTag(key)));
    if (Buffer.byteLength(text) > maximumDetailBytes) throw refusedValue(type, "detail: too large");
    const { reference, dirty } = writeBlob({ layout, task, key }, { text, nonce: randomBytes(12), files });
    for (const path of dirty) onDirty(path);
    return { type, task, action, policy, bodyText, blob: reference };
  } catch (error) {
    throw unwritable(error, layout.task(task));
  }
}
