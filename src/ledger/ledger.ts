// The ledger room's front: opens the tamper-evident record for writing, reads it, and passes the independent verifier on.
// Several processes may have it open; each takes the lock for one batch. INVARIANT I-11
import { statSync } from "node:fs";
import type { Clock } from "../contracts/clock.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { TaskId } from "../contracts/ids.ts";
import type { AppendReceipt, Durability, Ledger, StreamCommitment } from "../contracts/ledger.ts";
import type { Commitment, NewRecord, RecordType } from "../contracts/ledger-record.ts";
import { isPresent } from "../kit/is-present.ts";
import { ProcessLock } from "../kit/process-lock.ts";
import { Appender, takeLock } from "./appender.ts";
import { countBlobs, eraseBlobs } from "./blobs.ts";
import { Commitments } from "./commitments.ts";
import { type DurableFiles, durableFiles } from "./durable-files.ts";
import { type LedgerKeys, loadKeys, makeKeys } from "./keys.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { inconsistent, unwritable } from "./ledger-errors.ts";
import { LogStore } from "./log-store.ts";
import { type PrepareOptions, prepareRecord } from "./prepare-record.ts";
import { type Redact, redactDetail } from "./redact.ts";
import { placeVersion, prepareStateContents, prepareStateDirectory } from "./state-directory.ts";
import { ownRecord } from "./stored-bytes.ts";
import { encrypt, keptContext, type TaskKey, TaskKeys } from "./task-keys.ts";

export type { DurableFiles } from "./durable-files.ts";
export { durableFiles } from "./durable-files.ts";
export type { Redact, SecretTag } from "./redact.ts";
export { redactDetail } from "./redact.ts";
export type { LedgerReader } from "./reader.ts";
export { openLedgerReader } from "./reader.ts";
export { verifyLedger } from "./verify.ts";

const defaultSegmentBytes = 64 * 1024 * 1024;
const defaultLockWaitMs = 10_000;
const defaultHeadWithinMs = 10_000;

export interface LedgerOptions {
  /** The state directory, 0700; made when missing. Holds VERSION, broker.lock, ledger/, blobs/, keys/, quarantine/. */
  readonly directory: string;
  readonly clock: Clock;
  /** Exactly `count` unpredictable bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Name and version of the writer, as a `word` of ledger-record.ts. */
  readonly software: string;
  readonly redact?: Redact;
  /** Defaults to 64 MiB. */
  readonly segmentBytes?: number;
  /** How long an append waits for other processes; defaults to 10,000. */
  readonly lockWaitMs?: number;
  /** How long a record may be without a signed head over it, while this process lives; defaults to 10,000. */
  readonly headWithinMs?: number;
  /** For tests that make writing fail. */
  readonly files?: DurableFiles;
}

/** A ledger that this process may write to. */
export interface OpenedLedger extends Ledger {
  /**
   * Makes a task's details unreadable for good and records that; every proof stays valid. May be repeated after a crash.
   * @throws TASK_UNKNOWN when the task has neither details nor commitments; what `append` throws
   */
  eraseTask(task: TaskId): Promise<void>;
}

class DirectoryLedger implements OpenedLedger {
  readonly #layout: Layout;
  readonly #appender: Appender;
  readonly #prepare: PrepareOptions;
  readonly #commitments = new Commitments();

  constructor(layout: Layout, parts: { readonly appender: Appender; readonly prepare: PrepareOptions }) {
    this.#layout = layout;
    this.#appender = parts.appender;
    this.#prepare = parts.prepare;
  }

  async append<T extends RecordType>(record: NewRecord<T>, durability: Durability): Promise<AppendReceipt> {
    return this.#appender.append(prepareRecord(record, this.#prepare), durability);
  }

  #key(task: TaskId): TaskKey {
    try {
      return this.#prepare.taskKeys.get(task);
    } catch (error) {
      throw unwritable(error, this.#layout.task(task));
    }
  }

  async commit(task: TaskId, bytes: Uint8Array | string): Promise<Commitment> {
    return this.#commitments.to(this.#key(task), bytes);
  }

  async openCommitments(task: TaskId): Promise<() => StreamCommitment> {
    const key = this.#key(task);
    return () => this.#commitments.openStream(key);
  }

  async openSealer(task: TaskId): Promise<(name: string, bytes: Uint8Array) => Uint8Array> {
    this.#key(task); // makes it
    const { taskKeys, randomBytes } = this.#prepare;
    return (name, bytes) => encrypt(bytes, { key: taskKeys.get(task).data, nonce: randomBytes(12), context: keptContext(task, name) });
  }

  async eraseTask(task: TaskId): Promise<void> {
    const blobs = countBlobs(this.#layout, task);
    if (blobs === undefined) throw new GloveboxError("TASK_UNKNOWN", "ledger.task-unknown", { values: { task } });
    // Recorded first: details that are gone without a word would look like a loss.
    await this.#appender.append(ownRecord("log.erased", { blobs }, task), "synced");
    this.#prepare.taskKeys.forget(task);
    try {
      await eraseBlobs(this.#layout, { task, files: this.#prepare.files });
    } catch (error) {
      throw unwritable(error, this.#layout.task(task));
    }
  }

  async seal(): Promise<{ readonly size: number; readonly root: string }> {
    return this.#appender.seal();
  }

  async close(): Promise<void> {
    await this.#appender.close();
  }
}

async function readyKeys(layout: Layout, context: { fresh: boolean; files: DurableFiles; options: LedgerOptions }): Promise<LedgerKeys> {
  const keys = loadKeys(layout);
  if (keys !== undefined) return keys;
  const first = layout.segment(0);
  if (!context.fresh || (isPresent(first) && statSync(first).size > 0)) throw inconsistent("ledger.key-missing", { path: layout.keys });
  return makeKeys(layout, context.files, context.options.randomBytes);
}

/** Under the lock: everything that has to stand before the first append. */
async function openStore(layout: Layout, files: DurableFiles, options: LedgerOptions): Promise<{ store: LogStore; keys: LedgerKeys }> {
  const { fresh } = await prepareStateContents(layout, files);
  const keys = await readyKeys(layout, { fresh, files, options });
  const { clock, software, segmentBytes = defaultSegmentBytes } = options;
  const store = await LogStore.open({ layout, files, keys, clock, software, segmentBytes, fresh });
  try {
    if (fresh) await placeVersion(layout, files);
    return { store, keys };
  } catch (error) {
    store.close();
    throw error;
  }
}

/**
 * Opens the ledger of a state directory, and makes it when it is missing.
 * @throws STATE_INSECURE, STATE_VERSION, STATE_BUSY, LEDGER_UNWRITABLE, LEDGER_INCONSISTENT
 */
export async function openLedger(options: LedgerOptions): Promise<OpenedLedger> {
  const layout = layoutOf(options.directory);
  const files = options.files ?? durableFiles;
  let lock: ProcessLock | undefined;
  let release: (() => void) | undefined;
  try {
    prepareStateDirectory(layout.state);
    lock = new ProcessLock(layout.lock);
    const locking = { lock, lockPath: layout.lock, lockWaitMs: options.lockWaitMs ?? defaultLockWaitMs };
    release = await takeLock(locking);
    const { store, keys } = await openStore(layout, files, options);
    const appender = new Appender({ ...locking, store, files, headWithinMs: options.headWithinMs ?? defaultHeadWithinMs });
    // Where another process was killed, what it made there may not be on the device yet.
    appender.markDirty(layout.state);
    const onDirty = (path: string): void => {
      appender.markDirty(path);
    };
    const { randomBytes, redact = redactDetail } = options;
    const taskKeys = new TaskKeys({ layout, files, seal: keys.seal, randomBytes, onDirty });
    release();
    return new DirectoryLedger(layout, { appender, prepare: { layout, files, taskKeys, randomBytes, redact, onDirty } });
  } catch (error) {
    release?.();
    lock?.close();
    throw unwritable(error, layout.state);
  }
}
