// One random key per task, stored wrapped by the seal key. Data keys and commitment salts derive from it, so erasing the one file
// makes every blob of the task unreadable and every commitment of it unanswerable.
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import path from "node:path";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import type { TaskId } from "../contracts/ids.ts";
import { isPresent } from "../kit/is-present.ts";
import type { DurableFiles } from "./durable-files.ts";
import type { Layout } from "./layout.ts";
import { inconsistent } from "./ledger-errors.ts";
import { readPrivateFile } from "./state-directory.ts";

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** What one task's secrets are made of. */
export interface TaskKey {
  /** AES-256 key of the task's blobs. */
  readonly data: Buffer;
  /** HMAC key of the task's commitments and redaction tags. */
  readonly salt: Buffer;
}

function derive(master: Uint8Array): TaskKey {
  const key = (purpose: string): Buffer => Buffer.from(hkdfSync("sha256", master, "", `glovebox/${purpose}/1`, keyBytes));
  return { data: key("blob"), salt: key("commit") };
}

/** `nonce | ciphertext | tag`, AES-256-GCM. */
export function encrypt(
  plain: Uint8Array,
  options: { readonly key: Buffer; readonly nonce: Uint8Array; readonly context: string },
): Buffer {
  const cipher = createCipheriv("aes-256-gcm", options.key, options.nonce).setAAD(Buffer.from(options.context));
  return Buffer.concat([options.nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** undefined when the bytes were not made with this key and context. */
export function decrypt(bytes: Buffer, options: { readonly key: Buffer; readonly context: string }): Buffer | undefined {
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", options.key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(options.context)).setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    // fails closed because bytes that do not authenticate are no plaintext
    return undefined;
  }
}

/** Of bytes that the broker keeps for a task outside the ledger. */
export const keptContext = (task: TaskId, name: string): string => `glovebox/kept/1\n${task}\n${name}`;

const wrapContext = (task: TaskId): string => `glovebox/task-key/1\n${task}`;
export const keyFile = (layout: Layout, task: TaskId): string => path.join(layout.task(task), "key");
export const erasedMark = (layout: Layout, task: TaskId): string => path.join(layout.task(task), "erased");

/** The key of a task; undefined when there is none (any more). @throws LEDGER_INCONSISTENT when the seal key does not open it */
export function readTaskKey(layout: Layout, options: { readonly seal: Buffer; readonly task: TaskId }): TaskKey | undefined {
  const { seal, task } = options;
  const wrapped = readPrivateFile(keyFile(layout, task));
  if (wrapped === undefined) return undefined;
  const master = decrypt(wrapped, { key: seal, context: wrapContext(task) });
  if (master?.length !== keyBytes) throw inconsistent("ledger.key-foreign", { path: keyFile(layout, task) });
  return derive(master);
}

export interface TaskKeysOptions {
  readonly layout: Layout;
  readonly files: DurableFiles;
  readonly seal: Buffer;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Is told every file and directory that must be synced before a record that needs it counts as synced. */
  readonly onDirty: (path: string) => void;
}

/** Keys of the tasks this process works for. */
export class TaskKeys {
  readonly #options: TaskKeysOptions;
  readonly #known = new Map<TaskId, TaskKey>();

  constructor(options: TaskKeysOptions) {
    this.#options = options;
  }

  /** The task's key, made at first use. @throws LEDGER_VALUE_REFUSED when the task was erased; what the file system says */
  get(task: TaskId): TaskKey {
    const { layout, seal } = this.#options;
    if (isPresent(erasedMark(layout, task))) {
      this.#known.delete(task);
      throw new GloveboxError("LEDGER_VALUE_REFUSED", "ledger.task-erased", { values: { task } });
    }
    const key = this.#known.get(task) ?? readTaskKey(layout, { seal, task }) ?? this.#make(task);
    this.#known.set(task, key);
    return key;
  }

  forget(task: TaskId): void {
    this.#known.delete(task);
  }

  #make(task: TaskId): TaskKey {
    const { layout, files, seal, randomBytes, onDirty } = this.#options;
    const master = randomBytes(keyBytes);
    const wrapped = encrypt(master, { key: seal, nonce: randomBytes(nonceBytes), context: wrapContext(task) });
    files.makeDirectory(layout.task(task));
    const temporary = `${keyFile(layout, task)}.${Buffer.from(randomBytes(6)).toString("hex")}`;
    files.create(temporary, wrapped);
    try {
      // A link appears whole or not at all, and only one process's link can win.
      files.link(temporary, keyFile(layout, task));
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
      const winner = readTaskKey(layout, { seal, task });
      if (winner !== undefined) return winner;
      throw error;
    } finally {
      files.unlink(temporary);
    }
    for (const dirty of [keyFile(layout, task), layout.task(task), layout.blobs]) onDirty(dirty);
    return derive(master);
  }
}
