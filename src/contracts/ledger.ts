// The Ledger port: the tamper-evident record that the broker writes and everything else only reads.
import type { TaskId } from "./ids.ts";
import type { Commitment, NewRecord, RecordType } from "./ledger-record.ts";

/** `kernel`: the bytes are handed to the kernel (they survive a kill of every process). `synced`: they are on the device. */
export type Durability = "kernel" | "synced";

export interface AppendReceipt {
  readonly seq: number;
  /** Leaf hash, hex. */
  readonly leaf: string;
}

/** To bytes as they come. */
export interface StreamCommitment {
  update(bytes: Uint8Array): void;
  /** Once. */
  digest(): Commitment;
}

export interface Ledger {
  /**
   * Appends one record under the ledger's lock, after catching up with other writers. Throws LEDGER_UNWRITABLE when it cannot be
   * written (disk full, no permission), LEDGER_INCONSISTENT when the log on disk is not a continuation of what was signed,
   * LEDGER_VALUE_REFUSED when the record breaks its schema, STATE_BUSY when the lock stays taken for 10 s.
   */
  append<T extends RecordType>(record: NewRecord<T>, durability: Durability): Promise<AppendReceipt>;
  /** A commitment under the task's salt; equal inputs of one task give equal commitments, of two tasks never. */
  commit(task: TaskId, bytes: Uint8Array | string): Promise<Commitment>;
  /** Each call of what it resolves with begins one for a stream. */
  openCommitments(task: TaskId): Promise<() => StreamCommitment>;
  /** Encrypts bytes of a task that lie outside the ledger; erasing the task makes them unreadable too. `name` is bound to the bytes. */
  openSealer(task: TaskId): Promise<(name: string, bytes: Uint8Array) => Uint8Array>;
  /** Syncs, signs a tree head over everything appended, and resolves when the head is on the device. */
  seal(): Promise<{ readonly size: number; readonly root: string }>;
  close(): Promise<void>;
}

/** One record as a reader gets it. */
export interface StoredRecord {
  readonly seq: number;
  readonly ts: string;
  readonly type: RecordType;
  readonly task: TaskId | undefined;
  readonly action: string | undefined;
  readonly policy: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** The decrypted blob; undefined when there is none or the task was erased. */
  readonly detail: Readonly<Record<string, unknown>> | undefined;
}
