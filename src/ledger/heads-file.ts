// `heads.log`: the tree heads as far as this writer has read them. Called under the ledger's lock.
import type { DurableFiles } from "./durable-files.ts";
import type { Layout } from "./layout.ts";
import { inconsistent } from "./ledger-errors.ts";
import { leavesEnough } from "./log-start.ts";
import type { SigningKey } from "./signing-key.ts";
import { TrackedFile } from "./tracked-file.ts";
import { type LogPosition, formatTreeHead, parseTreeHeads } from "./tree-head.ts";

/** How much of the end is read at open: ten heads, or two of the longest. */
const windowBytes = 6 * 1024;

/** How the line begins that ends a note, each byte a character. */
const signatureLine = Buffer.from("\n— ").toString("latin1");

/** Where the first whole note starts in a window that was cut out of the middle. */
function firstNote(window: Buffer): number {
  const signature = window.indexOf("\n— ");
  const end = signature < 0 ? -1 : window.indexOf("\n", signature + 1);
  return end < 0 ? window.length : end + 1;
}

/**
 * Where the notes begin that opening needs: the newest one that leaves enough of the log to check, and all behind it. Older ones would say nothing
 * about what is read, and each is a signature to verify, at every start. What a note says is not believed here, only where reading begins: it is
 * read again, with its signature.
 */
function neededFrom(window: Buffer, first: number): number {
  const notes = window.toString("latin1", first);
  const whole = notes.slice(0, Math.max(0, notes.lastIndexOf(signatureLine)));
  const places = [...whole.matchAll(/\nposition (\d{1,8}) (\d{1,16})\n/gu)].map(({ 1: segment, 2: offset, index }) => ({
    segment: Number(segment),
    offset: Number(offset),
    index,
  }));
  const end = places.at(-1);
  const start = end === undefined ? undefined : places.findLast((place) => leavesEnough(place, end));
  if (start === undefined) return first;
  // The note begins behind the signature of the one before it, which is the last line that begins so.
  const signature = notes.lastIndexOf(signatureLine, start.index);
  return signature < 0 ? first : first + notes.indexOf("\n", signature + 1) + 1;
}

export class HeadsFile {
  readonly #file: TrackedFile;
  readonly #key: SigningKey;
  #bytes: number;
  #last: LogPosition | undefined;
  /** True when what was skipped at open holds older heads. */
  readonly partial: boolean;

  constructor(files: DurableFiles, layout: Layout, key: SigningKey) {
    this.#file = new TrackedFile(files, layout.heads);
    this.#key = key;
    const start = Math.max(0, this.#file.size() - windowBytes);
    const window = this.#file.read(start, windowBytes);
    this.#bytes = start + neededFrom(window, start > 0 ? firstNote(window) : 0);
    this.partial = this.#bytes > 0;
  }

  /** The newest head. */
  get last(): LogPosition | undefined {
    return this.#last;
  }

  /** Heads that were added since the last call, and how many bytes after them are torn. @throws LEDGER_INCONSISTENT */
  refresh(): { readonly added: readonly LogPosition[]; readonly tornBytes: number } {
    const size = this.#file.size();
    if (size < this.#bytes) throw inconsistent("ledger.heads-shrunk", { path: this.#file.path });
    if (size === this.#bytes) return { added: [], tornBytes: 0 };
    const parsed = parseTreeHeads(this.#file.read(this.#bytes, size - this.#bytes), this.#key);
    if (parsed.foreign) throw inconsistent("ledger.head-foreign", { path: this.#file.path });
    for (const head of parsed.heads) {
      if (head.frontier.size < (this.#last?.frontier.size ?? 0)) throw inconsistent("ledger.head-foreign", { path: this.#file.path });
      this.#last = head;
    }
    this.#bytes += parsed.bytes;
    return { added: parsed.heads, tornBytes: size - this.#bytes };
  }

  readTorn(bytes: number): Buffer {
    return this.#file.read(this.#bytes, bytes);
  }

  /** Cuts what follows the last whole head. */
  async cutTorn(): Promise<void> {
    this.#file.truncate(this.#bytes);
    await this.#file.sync();
  }

  /** Appends a head; on the device only after `sync`. @throws LEDGER_UNWRITABLE */
  write(position: LogPosition): void {
    const note = Buffer.from(formatTreeHead(position, this.#key));
    this.#file.append(note, this.#bytes);
    this.#bytes += note.length;
    this.#last = position;
  }

  async sync(): Promise<void> {
    await this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }
}
