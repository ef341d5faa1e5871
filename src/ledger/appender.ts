// Group commit: appends that arrive together share one lock, one write and one sync. Holds the lock for a batch, never for life.
import { setImmediate as nextTurn } from "node:timers/promises";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { AppendReceipt, Durability } from "../contracts/ledger.ts";
import type { ProcessLock } from "../kit/process-lock.ts";
import type { DurableFiles } from "./durable-files.ts";
import { unwritable } from "./ledger-errors.ts";
import type { LogStore } from "./log-store.ts";
import { rootOf } from "./merkle.ts";
import type { PreparedRecord } from "./stored-bytes.ts";

const largestBatch = 512;
const recordsPerHead = 1000;

interface Waiting {
  readonly record: PreparedRecord;
  readonly durability: Durability;
  readonly resolve: (receipt: AppendReceipt) => void;
  readonly reject: (error: GloveboxError) => void;
}

export interface AppenderOptions {
  readonly store: LogStore;
  readonly lock: ProcessLock;
  readonly lockPath: string;
  readonly lockWaitMs: number;
  /** How long a record may be without a signed head over it, while this process lives. */
  readonly headWithinMs: number;
  readonly files: DurableFiles;
}

/** Takes the ledger's lock. @throws STATE_BUSY, LEDGER_UNWRITABLE */
export async function takeLock(options: Pick<AppenderOptions, "lock" | "lockPath" | "lockWaitMs">): Promise<() => void> {
  const { lock, lockPath, lockWaitMs } = options;
  let release: (() => void) | undefined;
  try {
    release = await lock.take(lockWaitMs);
  } catch (error) {
    throw unwritable(error, lockPath);
  }
  if (release === undefined) {
    throw new GloveboxError("STATE_BUSY", "ledger.state-busy", { values: { path: lockPath, seconds: Math.round(lockWaitMs / 1000) } });
  }
  return release;
}

export class Appender {
  readonly #options: AppenderOptions;
  readonly #queue: Waiting[] = [];
  readonly #dirty = new Set<string>();
  /** Details on their way to the device. */
  #details: Promise<void> = Promise.resolve();
  #flushing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;
  #sealing: Promise<unknown> = Promise.resolve();
  #sealsWaiting = 0;
  #headTimer: NodeJS.Timeout | undefined;
  /** Set once the log or the device can no longer be trusted; every later append fails with it. */
  #broken: GloveboxError | undefined;
  #closed = false;

  constructor(options: AppenderOptions) {
    this.#options = options;
  }

  /** A path that has to be on the device before the next synced record counts as such. */
  markDirty(path: string): void {
    this.#dirty.add(path);
  }

  append(record: PreparedRecord, durability: Durability): Promise<AppendReceipt> {
    const { promise, resolve, reject } = Promise.withResolvers<AppendReceipt>();
    if (this.#broken !== undefined || this.#closed) reject(this.#broken ?? closedError());
    else this.#queue.push({ record, durability, resolve, reject });
    this.#flushing ??= this.#flush();
    return promise;
  }

  /** Never rejects: every outcome reaches the one who waits for it. */
  async #flush(): Promise<void> {
    await nextTurn();
    while (this.#queue.length > 0) {
      let batch: Waiting[] = [];
      let release: (() => void) | undefined;
      try {
        release = await takeLock(this.#options);
        await this.#options.store.catchUp();
        batch = this.#queue.splice(0, largestBatch);
        await this.#write(batch);
      } catch (error) {
        this.#fail([...batch, ...this.#queue.splice(0)], unwritable(error, this.#options.lockPath));
      } finally {
        release?.();
      }
      this.#sealWhenDue();
    }
    // In the same turn as the check above, so that no append can fall between.
    this.#flushing = undefined;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { receipts, failure } = await this.#options.store.write(batch.map(({ record }) => record));
    const synced: { readonly waiting: Waiting; readonly receipt: AppendReceipt }[] = [];
    for (const [index, waiting] of batch.entries()) {
      const receipt = receipts[index];
      if (receipt === undefined) waiting.reject(failure ?? closedError());
      else if (waiting.durability === "kernel") waiting.resolve(receipt);
      else synced.push({ waiting, receipt });
    }
    if (synced.length === 0) {
      // What the record is about can begin: meanwhile its details get to the device, for which the next synced record has to wait.
      if (this.#dirty.size > 0) setImmediate(() => this.#sendDetails());
      return;
    }
    // Not awaited: the lock is released while the device works, and the next batch may be written meanwhile.
    void this.#sync().then(
      () => {
        for (const { waiting, receipt } of synced) waiting.resolve(receipt);
      },
      (error: unknown) => {
        this.#fail(
          synced.map(({ waiting }) => waiting),
          unwritable(error, this.#options.lockPath),
        );
      },
    );
  }

  #fail(batch: readonly Waiting[], error: GloveboxError): void {
    if (error.code === "LEDGER_INCONSISTENT") this.#broken = error;
    for (const { reject } of batch) reject(error);
  }

  /** Resolves when everything written before the call is on the device. Calls that come while a sync runs share the next one. */
  #sync(): Promise<void> {
    if (this.#syncing === undefined) {
      this.#syncing = this.#syncNow().finally(() => {
        this.#syncing = undefined;
      });
      return this.#syncing;
    }
    this.#nextSync ??= this.#syncing
      .catch(() => {}) // its own callers hear of it; the next sync speaks for itself
      .then(() => {
        this.#nextSync = undefined;
        return this.#sync();
      });
    return this.#nextSync;
  }

  /** One erased meanwhile needs no sync. */
  #sendDetails(): void {
    const { files } = this.#options;
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    const sent = dirty.map((path) => files.syncPath(path).catch(ignoreMissing));
    this.#details = Promise.all([this.#details, ...sent]).then(() => {});
    this.#details.catch(() => {}); // the next sync says it
  }

  async #syncNow(): Promise<void> {
    const { store } = this.#options;
    try {
      // Details first: a record on the device whose details are not would look like a loss.
      if (this.#dirty.size > 0) this.#sendDetails();
      await this.#details;
      await store.sync();
    } catch (error) {
      // After a failed sync the kernel may drop the pages and report the next one as done, so nothing here can be promised any more.
      this.#broken ??= unwritable(error, this.#options.lockPath);
      throw error;
    }
  }

  #sealWhenDue(): void {
    const { store } = this.#options;
    const unsigned = store.size - store.signedSize;
    if (this.#closed || this.#sealsWaiting > 0 || this.#broken !== undefined || unsigned === 0) return;
    if (unsigned >= recordsPerHead) this.#sealInTurn();
    else this.#headTimer ??= this.#sealLater();
  }

  /** It keeps nobody alive: who ends signs on its way out. */
  #sealLater(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#headTimer = undefined;
      this.#sealInTurn();
    }, this.#options.headWithinMs).unref();
  }

  #sealInTurn(): void {
    clearTimeout(this.#headTimer);
    this.#headTimer = undefined;
    // Not fatal: the records are written, the head is due again at the next batch, and a caller's seal() reports what is wrong.
    this.#enqueueSeal().then(
      () => {
        this.#sealWhenDue();
      },
      () => {},
    );
  }

  #enqueueSeal(): Promise<{ readonly size: number; readonly root: string }> {
    this.#sealsWaiting += 1;
    const sealed = this.#sealing
      .then(() => this.#sealNow())
      .finally(() => {
        this.#sealsWaiting -= 1;
      });
    this.#sealing = sealed.catch(() => {}); // the caller of this seal hears of it; the next one starts anew
    return sealed;
  }

  async #sealNow(): Promise<{ readonly size: number; readonly root: string }> {
    if (this.#broken !== undefined) throw this.#broken;
    const { store } = this.#options;
    const position = store.position;
    try {
      // Records first: a head on the device over records that are not would condemn the log after a power cut.
      await this.#sync();
      const release = await takeLock(this.#options);
      try {
        await store.catchUp();
        store.writeHead(position);
      } finally {
        release();
      }
      await store.syncHeads();
    } catch (error) {
      const failure = unwritable(error, this.#options.lockPath);
      if (failure.code === "LEDGER_INCONSISTENT") this.#broken = failure;
      throw failure;
    }
    return { size: position.frontier.size, root: rootOf(position.frontier).toString("hex") };
  }

  /** Writes what waits, syncs, and signs a head over it. */
  async seal(): Promise<{ readonly size: number; readonly root: string }> {
    await this.#flushing;
    if (this.#closed) throw closedError();
    return this.#enqueueSeal();
  }

  /** Finishes what was begun; later calls fail. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#headTimer);
    await this.#flushing;
    while (this.#sealsWaiting > 0) await this.#sealing;
    await this.#nextSync?.catch(() => {}); // its callers hear of it
    await this.#syncing?.catch(() => {}); // likewise
    await this.#details.catch(() => {}); // likewise
    this.#options.store.close();
    this.#options.lock.close();
  }
}

function closedError(): GloveboxError {
  return new GloveboxError("LEDGER_UNWRITABLE", "ledger.closed");
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
