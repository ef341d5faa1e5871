// Encrypted details beside the log: one file per record that has any, named by the hash of its ciphertext.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { systemErrorCode } from "../contracts/glovebox-error.ts";
import type { TaskId } from "../contracts/ids.ts";
import { type BlobReference, blobReferenceSchema } from "../contracts/ledger-record.ts";
import { sha256Hex } from "../kit/digest.ts";
import type { DurableFiles } from "./durable-files.ts";
import type { Layout } from "./layout.ts";
import { type TaskKey, decrypt, encrypt, erasedMark, keyFile } from "./task-keys.ts";
import { lazily } from "../kit/lazily.ts";

/** Longest detail in bytes of canonical JSON. */
export const maximumDetailBytes = 4 * 1024 * 1024;
const blobName = /^[0-9a-f]{64}$/u;
const detailSchema = lazily(() => z.record(z.string(), z.unknown()));

const blobContext = (task: TaskId): string => `glovebox/blob/1\n${task}`;
const blobFile = (layout: Layout, task: TaskId, name: string): string => path.join(layout.task(task), name);

export interface BlobPlace {
  readonly layout: Layout;
  readonly task: TaskId;
  readonly key: TaskKey;
}

/** Writes one detail; not synced. @returns its reference and the paths to sync. Throws what the file system says. */
export function writeBlob(
  place: BlobPlace,
  content: { readonly text: string; readonly nonce: Uint8Array; readonly files: DurableFiles },
): {
  readonly reference: BlobReference;
  readonly dirty: readonly string[];
} {
  const bytes = encrypt(Buffer.from(content.text), { key: place.key.data, nonce: content.nonce, context: blobContext(place.task) });
  const name = sha256Hex(bytes);
  const file = blobFile(place.layout, place.task, name);
  content.files.create(file, bytes);
  const reference = blobReferenceSchema().parse({ digest: `sha256:${name}`, bytes: bytes.length });
  return { reference, dirty: [file, place.layout.task(place.task)] };
}

/** The detail; undefined when it was erased, is missing, or is not what was recorded (which `verify` reports). */
export function readBlob(place: BlobPlace, reference: BlobReference): Readonly<Record<string, unknown>> | undefined {
  const name = reference.digest.slice("sha256:".length);
  let bytes: Buffer;
  try {
    bytes = readFileSync(blobFile(place.layout, place.task, name));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const plain = sha256Hex(bytes) === name ? decrypt(bytes, { key: place.key.data, context: blobContext(place.task) }) : undefined;
  return plain === undefined ? undefined : detailSchema().parse(JSON.parse(plain.toString("utf8")));
}

/** How many blobs a task has; undefined when it never had a key. */
export function countBlobs(layout: Layout, task: TaskId): number | undefined {
  try {
    return readdirSync(layout.task(task)).filter((name) => blobName.test(name)).length;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Deletes the key first, then everything else of the task but the mark that it was erased. May be repeated after a crash. */
export async function eraseBlobs(layout: Layout, options: { readonly task: TaskId; readonly files: DurableFiles }): Promise<void> {
  const { task, files } = options;
  const directory = layout.task(task);
  const mark = erasedMark(layout, task);
  if (!readdirSync(directory).includes(path.basename(mark))) files.create(mark, new Uint8Array());
  await files.syncPath(directory);
  files.unlink(keyFile(layout, task));
  await files.syncPath(directory);
  for (const name of readdirSync(directory)) {
    if (name !== path.basename(mark)) files.unlink(path.join(directory, name));
  }
  await files.syncPath(directory);
}
