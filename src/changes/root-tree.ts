// One write root by descriptors: every step from the root down is opened without following a link, so that nothing a task left behind
// leads out of it. Nothing here waits: a pipe is never opened for more than its name.
import { closeSync, constants, fstatSync, lstatSync, openSync, type BigIntStats, readdirSync, readlinkSync, readSync } from "node:fs";
import { systemErrorCode } from "../contracts/glovebox-error.ts";
import { below, O_PATH } from "../kit/below.ts";
import { decodeByteText } from "../kit/byte-text.ts";

const directoryFlags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const portion = 1024 * 1024;
const openAtOnce = 64;

const absent = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** undefined for what is not there; other errors pass. */
export function unlessAbsent<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (absent.has(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** "closed" below a directory into which not even its owner may look, as a task can leave one behind; without root that stops us too. */
function unlessClosed<T>(look: () => T): T | "closed" {
  try {
    return look();
  } catch (error) {
    if (systemErrorCode(error) === "EACCES") return "closed";
    throw error;
  }
}

function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "");
}

/** @throws ENOENT, ENOTDIR or ELOOP when it is not a directory reached without links */
function openFrom(start: number, names: readonly string[]): number {
  let at = start;
  for (const name of names) {
    const above = at;
    try {
      at = openSync(below(above, name), directoryFlags);
    } finally {
      if (above !== start) closeSync(above);
    }
  }
  return at === start ? openSync(below(start, "."), directoryFlags) : at;
}

export class RootTree {
  readonly path: string;
  readonly #root: number;
  readonly #open = new Map<string, number>();

  /** @returns undefined when the root is not what it was, or cannot be reached */
  static open(path: string, identity: string): RootTree | undefined {
    const top = openSync("/", directoryFlags);
    try {
      const root = unlessClosed(() => unlessAbsent(() => openFrom(top, namesOf(path))));
      if (root === undefined || root === "closed") return undefined;
      const { dev, ino } = fstatSync(root, { bigint: true });
      if (`${dev}:${ino}` === identity) return new RootTree(path, root);
      closeSync(root);
      return undefined;
    } finally {
      closeSync(top);
    }
  }

  private constructor(path: string, root: number) {
    this.path = path;
    this.#root = root;
  }

  get status(): BigIntStats {
    return fstatSync(this.#root, { bigint: true });
  }

  holds(path: string): boolean {
    return path.startsWith(`${this.path}/`);
  }

  /** The directory of a path, held open by this tree, and its last name; undefined when the directory is not there. */
  parentOf(path: string): { readonly directory: number; readonly name: string } | undefined {
    const names = namesOf(path.slice(this.path.length));
    const name = names.at(-1);
    if (name === undefined || names.some((part) => part === "." || part === "..")) return undefined;
    const directory = this.#directory(names.slice(0, -1));
    return directory === undefined ? undefined : { directory, name };
  }

  #directory(names: readonly string[]): number | undefined {
    const key = names.join("/");
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opened = unlessAbsent(() => openFrom(this.#root, names));
    if (opened === undefined) return undefined;
    const oldest = this.#open.entries().next().value;
    if (this.#open.size >= openAtOnce && oldest !== undefined) {
      this.#open.delete(oldest[0]);
      closeSync(oldest[1]);
    }
    this.#open.set(key, opened);
    return opened;
  }

  /** Drops what is held open below the root: directories that were opened by a name may have another now. */
  forget(): void {
    for (const descriptor of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
  }

  look(path: string): BigIntStats | undefined {
    const place = this.parentOf(path);
    return place === undefined ? undefined : unlessAbsent(() => lstatSync(below(place.directory, place.name), { bigint: true }));
  }

  /** @returns undefined for what is not there */
  lookUnlessClosed(path: string): BigIntStats | "closed" | undefined {
    return unlessClosed(() => this.look(path));
  }

  linkTarget(path: string): string | undefined {
    const place = this.parentOf(path);
    if (place === undefined) return undefined;
    return unlessAbsent(() => decodeByteText(readlinkSync(below(place.directory, place.name), { encoding: "buffer" })));
  }

  entries(path: string): readonly string[] | "closed" {
    const place = this.parentOf(path);
    if (place === undefined) return [];
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
    const opened = unlessClosed(() => unlessAbsent(() => openSync(below(place.directory, place.name), flags)));
    if (opened === "closed") return opened;
    if (opened === undefined) return [];
    try {
      return readdirSync(`/proc/self/fd/${opened}`, { encoding: "buffer" }).map(decodeByteText);
    } finally {
      closeSync(opened);
    }
  }

  /** Hands the bytes of a regular file to `take`, at most `most`; false when it is none, cannot be read or is longer. */
  read(path: string, most: number, take: (bytes: Buffer) => void): boolean {
    const place = this.parentOf(path);
    if (place === undefined) return false;
    const file = openToRead(below(place.directory, place.name));
    if (file === undefined) return false;
    try {
      const found = fstatSync(file);
      return found.isFile() && found.size <= most && readAll(file, most, take);
    } finally {
      closeSync(file);
    }
  }

  close(): void {
    this.forget();
    closeSync(this.#root);
  }
}

function openToRead(path: Buffer): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined; // absent, or not to be read: its caller says so
  }
}

function readAll(file: number, most: number, take: (bytes: Buffer) => void): boolean {
  for (let have = 0; ;) {
    const bytes = Buffer.allocUnsafe(portion);
    const got = readSync(file, bytes, 0, portion, null);
    if (got === 0) return true;
    have += got;
    if (have > most) return false;
    take(bytes.subarray(0, got));
  }
}
