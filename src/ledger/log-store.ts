// The log on disk: follows what other writers added, recovers torn tails, writes batches, rotates segments, signs heads.
// Every method is called under the ledger's lock. What it knows (the view) changes only after the disk did. INVARIANT I-11
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../contracts/clock.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { AppendReceipt } from "../contracts/ledger.ts";
import { isPresent } from "../kit/is-present.ts";
import type { DurableFiles } from "./durable-files.ts";
import { encodeFrame, holdsWholeFrame } from "./frame.ts";
import { HeadsFile } from "./heads-file.ts";
import type { LedgerKeys } from "./keys.ts";
import type { Layout } from "./layout.ts";
import { inconsistent, unwritable } from "./ledger-errors.ts";
import { lastSegment, startingView } from "./log-start.ts";
import { type LogView, advance, followAll } from "./log-view.ts";
import { rootOf } from "./merkle.ts";
import { keepTail, pendingTails, recoveredRecord, settleTail } from "./quarantine.ts";
import { stateFormat } from "./state-directory.ts";
import { type PreparedRecord, ownRecord, recordBytes } from "./stored-bytes.ts";
import { TrackedFile } from "./tracked-file.ts";
import type { LogPosition } from "./tree-head.ts";

/** Read at one go while following; longer logs let the event loop run in between. */
const sliceBytes = 1024 * 1024;

export interface LogStoreOptions {
  readonly layout: Layout;
  readonly files: DurableFiles;
  readonly keys: LedgerKeys;
  readonly clock: Clock;
  readonly software: string;
  /** A segment that would grow beyond this is followed by the next one. */
  readonly segmentBytes: number;
  /** No log was ever completely made here: one that is interrupted while it is made may lack its first head. */
  readonly fresh: boolean;
}

export interface Written {
  /** One for each record that is in the log now, in order. */
  readonly receipts: readonly AppendReceipt[];
  /** Why the rest is not. */
  readonly failure: GloveboxError | undefined;
}

export class LogStore {
  readonly #options: LogStoreOptions;
  readonly #heads: HeadsFile;
  #segment: TrackedFile;
  #view: LogView;
  /** Roots that heads promise for sizes not reached yet. */
  readonly #promised = new Map<number, string>();

  private constructor(options: LogStoreOptions, heads: HeadsFile, view: LogView) {
    this.#options = options;
    this.#heads = heads;
    this.#view = view;
    this.#segment = new TrackedFile(options.files, options.layout.segment(view.segment));
  }

  /** Opens, checks the end of the log, recovers, and makes a new log when there is none. @throws LEDGER_INCONSISTENT, LEDGER_UNWRITABLE */
  static async open(options: LogStoreOptions): Promise<LogStore> {
    const { heads: headsPath } = options.layout;
    if (!options.fresh && !isPresent(headsPath)) throw inconsistent("ledger.heads-missing", { path: headsPath });
    const heads = new HeadsFile(options.files, options.layout, options.keys.signing);
    let store: LogStore | undefined;
    try {
      const { added } = heads.refresh();
      store = new LogStore(
        options,
        heads,
        startingView({ layout: options.layout, log: options.keys.logId }, { heads: added, partial: heads.partial }),
      );
      store.#promise(added);
      await store.#begin();
      return store;
    } catch (error) {
      heads.close();
      store?.close();
      throw error;
    }
  }

  async #begin(): Promise<void> {
    const { layout, files, fresh } = this.#options;
    if (!fresh && this.#heads.last === undefined) throw inconsistent("ledger.heads-missing", { path: layout.heads });
    await this.catchUp();
    if (lastSegment(layout) > this.#view.segment) throw inconsistent("ledger.damaged", { segment: this.#view.segment, seq: this.size });
    if (fresh && this.#view.holdsEvents)
      throw new GloveboxError("STATE_VERSION", "ledger.version-missing", { values: { path: layout.version, supported: stateFormat } });
    await this.#record([...pendingTails(layout)]);
    if (this.#heads.last !== undefined) return;
    await files.syncPath(layout.ledger);
    await this.#segment.sync();
    this.#heads.write(this.position);
    await this.#heads.sync();
  }

  get size(): number {
    return this.#view.frontier.size;
  }

  /** Records covered by the newest signed head. */
  get signedSize(): number {
    return this.#heads.last?.frontier.size ?? 0;
  }

  get position(): LogPosition {
    const { segment, offset, leaf, frontier, next } = this.#view;
    return next === undefined ? { segment, offset, leaf, frontier } : { segment: next, offset: 0, leaf, frontier };
  }

  #promise(heads: readonly LogPosition[]): void {
    for (const { frontier } of heads) {
      const root = rootOf(frontier).toString("hex");
      if (frontier.size > this.size) this.#promised.set(frontier.size, root);
      else if (frontier.size === this.size && root !== rootOf(this.#view.frontier).toString("hex")) throw this.#damaged();
    }
  }

  #damaged(): GloveboxError {
    return inconsistent("ledger.damaged", { segment: this.#view.segment, seq: this.size });
  }

  /** Brings the view to the end of what is on disk; a torn tail is quarantined, cut and recorded. @throws LEDGER_INCONSISTENT, LEDGER_UNWRITABLE */
  async catchUp(): Promise<void> {
    const { added, tornBytes: tornHeadBytes } = this.#heads.refresh();
    this.#promise(added);
    const tornBytes = await this.#followDisk();
    // A log shorter than what was signed is never cut, appended to or sealed.
    if (this.size < this.signedSize) throw inconsistent("ledger.shrunk", { records: this.size, signed: this.signedSize });
    const kept: string[] = [];
    if (tornBytes > 0) kept.push(await this.#cutLog(tornBytes));
    if (tornHeadBytes > 0) {
      kept.push(await this.#keep(this.#heads.readTorn(tornHeadBytes)));
      await this.#heads.cutTorn();
    }
    if (kept.length > 0) await this.#record(kept);
  }

  /** @returns how many bytes after the last whole record are torn */
  async #followDisk(): Promise<number> {
    for (;;) {
      const size = this.#segment.size();
      if (size < this.#view.offset)
        throw inconsistent("ledger.shrunk", { records: this.size, signed: Math.max(this.signedSize, this.size) });
      while (this.#view.offset < size) {
        const start = this.#view.offset;
        const slice = this.#segment.read(start, Math.min(sliceBytes, size - start));
        const { view, stopped } = followAll(this.#view, slice, this.#checkPromise);
        this.#view = view;
        const last = start + slice.length >= size;
        // An incomplete frame at the end of a slice goes on in the next one: a slice is longer than any frame.
        if (stopped === "broken" || (stopped === "incomplete" && last)) return size - view.offset;
        if (!last) await nextTurn();
      }
      if (this.#view.next === undefined) return 0;
      await this.#enter(this.#view.next);
    }
  }

  readonly #checkPromise = (view: LogView): void => {
    const promised = this.#promised.get(view.frontier.size);
    if (promised === undefined) return;
    if (promised !== rootOf(view.frontier).toString("hex"))
      throw inconsistent("ledger.damaged", { segment: view.segment, seq: view.frontier.size - 1 });
    this.#promised.delete(view.frontier.size);
  };

  /** Goes on in the next segment, which is made when the writer that announced it did not get so far. */
  async #enter(next: number): Promise<void> {
    const { files, layout } = this.#options;
    const file = layout.segment(next);
    if (!isPresent(file)) {
      if (this.size < this.signedSize) throw inconsistent("ledger.segment-missing", { path: file });
      await this.#segment.sync();
    }
    const segment = new TrackedFile(files, file);
    try {
      await files.syncPath(layout.ledger);
    } catch (error) {
      segment.close();
      throw unwritable(error, layout.ledger);
    }
    this.#segment.close();
    this.#segment = segment;
    this.#view = { ...this.#view, segment: next, offset: 0, next: undefined };
  }

  async #keep(torn: Buffer): Promise<string> {
    const { layout, files, clock } = this.#options;
    try {
      return await keepTail(layout, { files, torn, wallMs: clock.wallMs() });
    } catch (error) {
      throw unwritable(error, layout.quarantine);
    }
  }

  async #cutLog(tornBytes: number): Promise<string> {
    const torn = this.#segment.read(this.#view.offset, tornBytes);
    if (holdsWholeFrame(torn)) throw this.#damaged();
    const kept = await this.#keep(torn);
    this.#segment.truncate(this.#view.offset);
    await this.#segment.sync();
    return kept;
  }

  /** Records kept tails (and, in an empty log, its opening) and puts that on the device. */
  async #record(tails: readonly string[]): Promise<void> {
    const { keys, software, files } = this.#options;
    const opening = this.size === 0 ? [ownRecord("log.opened", { format: 1, keyId: keys.signing.id, software })] : [];
    const records = [...opening, ...tails.map((tail) => recoveredRecord(tail))];
    if (records.length === 0) return;
    const { failure } = await this.write(records);
    if (failure !== undefined) throw failure;
    await this.#segment.sync();
    for (const tail of tails) settleTail(files, tail);
  }

  /** Hands records to the kernel, in order. Never throws: what could not be written is the `failure`. */
  async write(records: readonly PreparedRecord[]): Promise<Written> {
    const receipts: AppendReceipt[] = [];
    try {
      while (receipts.length < records.length) {
        if (this.#view.next !== undefined) await this.#enter(this.#view.next);
        receipts.push(...this.#writeRun(records.slice(receipts.length)));
      }
      return { receipts, failure: undefined };
    } catch (error) {
      return { receipts, failure: unwritable(error, this.#segment.path) };
    }
  }

  /** Writes as many records as this segment takes, at least one unless it is full, and then the record that announces the next segment. */
  #writeRun(records: readonly PreparedRecord[]): readonly AppendReceipt[] {
    const { segmentBytes } = this.#options;
    let view = this.#view;
    const frames: Buffer[] = [];
    const receipts: AppendReceipt[] = [];
    const add = (record: PreparedRecord): boolean => {
      const bytes = recordBytes(record, { log: view.log, seq: view.frontier.size, prev: view.leaf }, this.#options.clock);
      const frame = encodeFrame(bytes);
      if (record.type !== "log.rotated" && view.offset > 0 && view.offset + frame.length > segmentBytes) return false;
      const next = record.type === "log.rotated" ? view.segment + 1 : undefined;
      view = advance(view, { bytes, length: frame.length }, { type: record.type, next });
      frames.push(frame);
      return true;
    };
    const full = !records.every((record) => {
      const added = add(record);
      if (added) receipts.push({ seq: view.frontier.size - 1, leaf: view.leaf });
      return added;
    });
    if (full) add(ownRecord("log.rotated", { segment: view.segment + 1 }));
    this.#segment.append(Buffer.concat(frames), this.#view.offset);
    this.#view = view;
    return receipts;
  }

  /** The sync covers every record written before the call. Needs no lock. */
  async sync(): Promise<void> {
    await this.#segment.sync();
  }

  /** Signs a head over a position whose records are on the device; one that a newer head covers needs none. @throws LEDGER_UNWRITABLE */
  writeHead(position: LogPosition): void {
    if (position.frontier.size > this.signedSize) this.#heads.write(position);
  }

  async syncHeads(): Promise<void> {
    await this.#heads.sync();
  }

  close(): void {
    this.#segment.close();
    this.#heads.close();
  }
}
