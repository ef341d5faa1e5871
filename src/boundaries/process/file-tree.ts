// The questions that a plan asks about the host's files, as a port: the planner stays pure and its tests need no files.
import { isUtf8 } from "node:buffer";
import {
  accessSync,
  type BigIntStats,
  constants,
  type Dirent,
  lstatSync,
  opendirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statfsSync,
} from "node:fs";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { childOf } from "./paths.ts";

export type EntryKind = "file" | "directory" | "link" | "other";

export interface Entry {
  readonly kind: EntryKind;
  /** Number of hard links. */
  readonly links: number;
  /** Permission bits. */
  readonly mode: number;
  /** Device and inode: the same place, whatever its name. */
  readonly identity: string;
}

export interface LinkedName {
  readonly name: string;
  readonly identity: string;
  /** How many names it has. */
  readonly links: number;
}

/** One look into a directory for files with several names. Names are bytes, one character each. */
export interface Survey {
  readonly directories: readonly string[];
  /** Whatever else has more names than one. */
  readonly linked: readonly LinkedName[];
  /** It holds, or may come to hold, names that this look did not see and that this user can use. */
  readonly isClosed: boolean;
  /** Of the directory itself; undefined where nothing in it has more names than one. */
  readonly identity: string | undefined;
  /** How many entries were looked at. */
  readonly entries: number;
  /** It holds more than were to be looked at, which were left. */
  readonly isCut: boolean;
}

export interface FileTree {
  /** The entry itself, links not followed; undefined when it is absent or out of this user's reach. */
  look(absolute: string): Entry | undefined;
  /** What a directory holds; empty when it cannot be listed. */
  list(directory: string): readonly { readonly name: string; readonly kind: EntryKind }[];
  /** The names of the same, for a quarter of the time. */
  names(directory: string): readonly string[];
  /** @param directory in bytes, one character each @param most entries to look at */
  survey(directory: string, most: number): Survey;
  /** The text of a link. */
  linkTarget(absolute: string): string | undefined;
  /** The same place without links; undefined when it does not exist. @throws PATH_RULE_UNENFORCEABLE when its name is not UTF-8 */
  canonical(absolute: string): string | undefined;
  /** True when the host's own permissions let the sandbox's user read the file, or look into the directory. */
  canReach(absolute: string): boolean;
  /** False where others change files and no notice of that comes here (NFS, FUSE, ...), or where the kernel will not say. */
  tellsOfChanges(absolute: string): boolean;
  /** A small text file; undefined when it is absent or unreadable. */
  text(absolute: string): string | undefined;
}

/** Absence and lack of reach are answers here: whatever this user cannot see, its sandbox cannot either. */
function orUndefined<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

function kindOf(entry: BigIntStats | Dirent): EntryKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Exact for every 64-bit number that a file system gives out. */
function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function hasAccess(absolute: string | Buffer, mode: number): boolean {
  try {
    accessSync(absolute, mode);
    return true;
  } catch {
    return false; // whatever the reason, this process cannot
  }
}

/** Rules are text: bytes that Node would replace would name another place, and the rule would hold there. */
function asText(bytes: Buffer, absolute: string): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.name-not-utf8", { values: { path: absolute } });
}

/** Whoever owns a closed directory opens it again; whoever may search and write it has names there that no listing shows. */
function isClosed(directory: string | Buffer, error: unknown): boolean {
  const code = systemErrorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return false; // gone meanwhile, with its names
  if (code !== "EACCES" && code !== "EPERM") return true; // a path too long for the kernel, say: a command may walk there step by step
  const owner = orUndefined(() => lstatSync(directory).uid);
  return owner === undefined || owner === process.getuid?.() || hasAccess(directory, constants.W_OK | constants.X_OK);
}

/** What has more names than one is asked again, by exact numbers: few files do, and these numbers take as long as everything else together. */
function linkedNames(place: string | Buffer, name: string): readonly LinkedName[] {
  const found = lstatSync(place, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? [] : [{ name, identity: identityOf(found), links: Number(found.nlink) }];
}

/** @param bytes one character each; a text of ASCII is its bytes, and the system call takes it as it is */
function placeOf(bytes: string): string | Buffer {
  return /[\u0080-\u00FF]/u.test(bytes) ? Buffer.from(bytes, "latin1") : bytes;
}

/** Above this size a directory, whose size grows with its entries, is read in portions: four times slower, but in no more memory than is asked for. */
const listedBytesMax = 1 << 20;

function* entriesOf(directory: string | Buffer): Generator<Dirent> {
  if (lstatSync(directory).size <= listedBytesMax) {
    yield* readdirSync(directory, { withFileTypes: true, encoding: "latin1" });
    return;
  }
  const opened = opendirSync(directory, { encoding: "latin1", bufferSize: 1024 });
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}

/** Never follows a link and opens nothing but directories. */
function surveyDirectory(bytes: string, most: number): Survey {
  const directory = placeOf(bytes);
  const directories: string[] = [];
  const linked: LinkedName[] = [];
  let entries = 0;
  try {
    for (const entry of entriesOf(directory)) {
      if (entries === most) return { directories, linked, isClosed: false, identity: undefined, entries, isCut: true };
      entries++;
      const { name } = entry;
      if (entry.isDirectory()) {
        directories.push(name);
        continue;
      }
      const place = placeOf(childOf(bytes, name));
      const found = lstatSync(place, { throwIfNoEntry: false });
      if (found?.isDirectory() === true) directories.push(name);
      else if (found !== undefined && found.nlink > 1) linked.push(...linkedNames(place, name));
    }
    const own = linked.length === 0 ? undefined : lstatSync(directory, { bigint: true });
    return { directories, linked, isClosed: false, identity: own === undefined ? undefined : identityOf(own), entries, isCut: false };
  } catch (error) {
    return { directories, linked, isClosed: isClosed(directory, error), identity: undefined, entries, isCut: false };
  }
}

/** By the kernel's numbers; native/masker/file-system.c holds the same, and a unit test compares them. */
export const untoldTypes: ReadonlySet<bigint> = new Set([
  0x6969n,
  0x517bn,
  0xff53_4d42n,
  0xfe53_4d42n,
  0x6573_5546n,
  0x0102_1997n,
  0x5346_414fn,
  0x6b41_4653n,
  0x00c3_6400n,
  0x7375_7245n,
  0x786f_4256n,
  0x7461_636fn,
  0x0116_1970n,
  0x0bd0_0bd0n,
  0x4750_4653n,
]);

/**
 * The real host. Synchronous: a plan asks a few hundred questions of warm directories.
 * @param readerIsSelf the sandbox keeps this process's uid and groups; otherwise its uid owns nothing and is in no group
 */
export function hostFileTree(readerIsSelf: boolean): FileTree {
  return {
    look: (absolute) => {
      const found = orUndefined(() => lstatSync(absolute, { throwIfNoEntry: false, bigint: true }));
      if (found === undefined) return undefined;
      return { kind: kindOf(found), links: Number(found.nlink), mode: Number(found.mode) & 0o7777, identity: identityOf(found) };
    },
    list: (directory) => {
      const entries = orUndefined(() => readdirSync(directory, { withFileTypes: true })) ?? [];
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    },
    names: (directory) => orUndefined(() => readdirSync(directory)) ?? [],
    survey: surveyDirectory,
    canReach: (absolute) => {
      // access(2) knows groups and access lists; for a uid that owns nothing, the bits for others are the whole truth.
      if (readerIsSelf) return hasAccess(absolute, constants.R_OK) || hasAccess(absolute, constants.X_OK);
      return ((orUndefined(() => lstatSync(absolute))?.mode ?? 0) & 0o005) !== 0;
    },
    linkTarget: (absolute) => orUndefined(() => readlinkSync(absolute)),
    // Most questions are about files that are not there: asking first is ten times cheaper than an exception.
    canonical: (absolute) => {
      const find = () =>
        lstatSync(absolute, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync.native(absolute, "buffer");
      const found = orUndefined(find);
      return found === undefined ? undefined : asText(found, absolute);
    },
    tellsOfChanges: (absolute) => {
      const type = orUndefined(() => statfsSync(absolute, { bigint: true }).type);
      return type !== undefined && !untoldTypes.has(type & 0xffff_ffffn);
    },
    text: (absolute) => orUndefined(() => readFileSync(absolute, "utf8")),
  };
}
