// Copies what a task is given to read. The host's tree is walked by descriptors: no link below what was named is followed, whatever somebody puts
// there meanwhile, nothing waits, and what is copied is bounded. INVARIANT I-04, I-05
import { createHash, type Hash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, opendir, readlink, symlink } from "node:fs/promises";
import path from "node:path";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { type GivenInput, inputBounds } from "../../contracts/inputs.ts";
import { below, O_PATH } from "../../kit/below.ts";
import { decodeByteText, encodeByteText, wellFormedByteText } from "../../kit/byte-text.ts";

export interface InputRules {
  /** How many files, directories and links together. */
  readonly entries: number;
  /** Of all together. */
  readonly bytes: number;
  /** Throws for a place that the policy denies. Absolute, without links; bytes as in kit/byte-text.ts. */
  readonly requireReadable: (place: string) => void;
  readonly signal: AbortSignal;
}

/** One entry on its way: where it is on the host, for words and rules, and what it is called from the one that was named on. */
interface Entry {
  readonly source: FileHandle;
  /** The directory that it was found in; undefined for one that was named. */
  readonly parent: FileHandle | undefined;
  readonly place: string;
  readonly name: string;
  readonly relative: string;
  readonly depth: number;
}

/** Of one that was named. */
interface Sum {
  readonly hash: Hash;
  files: number;
  bytes: number;
}

const portion = 1024 * 1024;
const entryFlags = O_PATH | constants.O_NOFOLLOW;
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export function refuseInput(situation: string, place: string, more: Readonly<Record<string, string | number>> = {}): GloveboxError {
  return new GloveboxError("INPUT_REFUSED", situation, { values: { path: wellFormedByteText(place), ...more } });
}

/** What the host says of its own file. */
async function reading<Value>(place: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    const errno = systemErrorCode(error);
    if (errno === undefined) throw error;
    throw refuseInput("input.unreadable", place, { errno });
  }
}

function kindOf(found: Stats): string {
  if (found.isFIFO()) return "pipe";
  if (found.isSocket()) return "socket";
  return found.isBlockDevice() || found.isCharacterDevice() ? "device" : "other";
}

const tooMany = (place: string, maximum: number): GloveboxError => refuseInput("input.too-many", place, { maximum });

/** Descriptors of this process have names without links. */
const reopened = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

/** Of one task: what it may take is counted over all that it is given. */
export class InputCopier {
  readonly #rules: InputRules;
  #bytes = 0;
  #entries = 0;

  constructor(rules: InputRules) {
    this.#rules = rules;
  }

  /** @param from absolute, without links @param to an empty directory of ours @throws INPUT_REFUSED, what `requireReadable` throws, and the system's error where `to` cannot be written */
  async copy(from: string, to: string): Promise<GivenInput> {
    await using source = await reading(from, () => open(encodeByteText(from), entryFlags));
    // Somebody may have put a link on the way since it was looked at.
    if (decodeByteText(await readlink(reopened(source), "buffer")) !== from) throw refuseInput("input.moved", from);
    const name = path.basename(from);
    const sum: Sum = { hash: createHash("sha256"), files: 0, bytes: 0 };
    await using target = await open(to, constants.O_RDONLY | constants.O_DIRECTORY);
    const isFile = (await source.stat()).isFile();
    const entry: Entry = { source, parent: undefined, place: from, name, relative: "", depth: 0 };
    const own = await this.#take(entry, target, sum);
    const kind = isFile ? "file" : "directory";
    return { name, kind, files: sum.files, bytes: sum.bytes, sha256: own ?? sum.hash.digest("hex"), from };
  }

  /** @returns the digest of a file's bytes */
  async #take(entry: Entry, target: FileHandle, sum: Sum): Promise<string | undefined> {
    const { source, parent, place, relative, depth } = entry;
    const { entries, requireReadable, signal } = this.#rules;
    signal.throwIfAborted();
    requireReadable(place);
    this.#entries += 1;
    if (this.#entries > entries) throw tooMany(place, entries);
    if (depth > inputBounds.depth) throw refuseInput("input.too-deep", place, { maximum: inputBounds.depth });
    const found = await source.stat();
    const told = (words: string): void => void sum.hash.update(words).update(encodeByteText(relative)).update("\0");
    if (found.isDirectory()) {
      told("directory ");
      await this.#directory(entry, target, sum);
      return undefined;
    }
    if (found.isFile()) {
      const digest = await this.#file(entry, found, { target, sum });
      told(`${digest} `);
      return digest;
    }
    if (!found.isSymbolicLink() || parent === undefined) throw refuseInput("input.kind", place, { kind: kindOf(found) });
    const leads = await reading(place, () => readlink(below(parent.fd, entry.name), "buffer"));
    await symlink(leads, below(target.fd, entry.name));
    told(`link ${createHash("sha256").update(leads).digest("hex")} `);
    return undefined;
  }

  async #directory({ source, place, name, relative, depth }: Entry, target: FileHandle, sum: Sum): Promise<void> {
    await mkdir(below(target.fd, name), 0o755);
    await using inner = await open(below(target.fd, name), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    await inner.chmod(0o755);
    for (const child of await this.#names(source, place)) {
      const at = place === "/" ? `/${child}` : `${place}/${child}`;
      await using opened = await reading(at, () => open(below(source.fd, child), entryFlags));
      const names = { name: child, relative: relative === "" ? child : `${relative}/${child}` };
      await this.#take({ source: opened, parent: source, place: at, ...names, depth: depth + 1 }, inner, sum);
    }
  }

  /** In the order of their bytes; no more than may still come are held. */
  async #names(source: FileHandle, place: string): Promise<readonly string[]> {
    const names: Buffer[] = [];
    const { entries } = this.#rules;
    await reading(place, async () => {
      // One character for each byte.
      for await (const { name } of await opendir(reopened(source), { encoding: "latin1" })) {
        names.push(Buffer.from(name, "latin1"));
        if (this.#entries + names.length > entries) throw tooMany(place, entries);
      }
    });
    return names.toSorted((left, right) => Buffer.compare(left, right)).map(decodeByteText);
  }

  #count(place: string, bytes: number, sum: Sum): void {
    this.#bytes += bytes;
    sum.bytes += bytes;
    if (this.#bytes > this.#rules.bytes) throw refuseInput("input.too-large", place, { maximum: this.#rules.bytes });
  }

  /** It may grow or shrink meanwhile: what was read is what the task has. */
  async #file({ source, place, name }: Entry, found: Stats, into: { readonly target: FileHandle; readonly sum: Sum }): Promise<string> {
    const { target, sum } = into;
    if (this.#bytes + found.size > this.#rules.bytes) throw refuseInput("input.too-large", place, { maximum: this.#rules.bytes });
    await using reader = await reading(place, () => open(reopened(source), constants.O_RDONLY | constants.O_NONBLOCK));
    await using writer = await open(below(target.fd, name), newFile, 0o600);
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(portion);
    for (;;) {
      this.#rules.signal.throwIfAborted();
      const { bytesRead } = await reading(place, () => reader.read(buffer, 0, portion));
      if (bytesRead === 0) break;
      this.#count(place, bytesRead, sum);
      hash.update(buffer.subarray(0, bytesRead));
      await writer.writeFile(buffer.subarray(0, bytesRead));
    }
    // Whoever it belongs to inside reads it; nobody writes it, and it is run where it could be.
    await writer.chmod((found.mode & 0o100) === 0 ? 0o444 : 0o555);
    sum.files += 1;
    return hash.digest("hex");
  }
}
