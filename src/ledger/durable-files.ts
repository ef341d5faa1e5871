// Every change the ledger makes on disk, as a port: tests put one in that fails at the n-th change.
import {
  closeSync,
  constants,
  fdatasync,
  fsync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";

const fdatasyncAsync = promisify(fdatasync);
const fsyncAsync = promisify(fsync);

export interface DurableFiles {
  /** Makes a directory, 0700; one that exists is success. */
  makeDirectory(directory: string): void;
  /** Writes a new file, 0600; fails with EEXIST. What was written of a failed one is removed. Not synced. */
  create(file: string, bytes: Uint8Array): void;
  /** Opens for reading and appending, made when missing with mode 0600. */
  openLog(file: string): number;
  /** Appends all of `bytes`, or throws after any part of them. */
  append(descriptor: number, bytes: Uint8Array): void;
  truncate(descriptor: number, size: number): void;
  rename(from: string, to: string): void;
  /** A second name for a file; fails with EEXIST. */
  link(from: string, to: string): void;
  /** A file that does not exist is success. */
  unlink(file: string): void;
  sync(descriptor: number): Promise<void>;
  /** A file, or a directory's entries. */
  syncPath(file: string): Promise<void>;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}

function create(file: string, bytes: Uint8Array): void {
  const descriptor = openSync(file, "wx", 0o600);
  try {
    writeAll(descriptor, bytes);
  } catch (error) {
    unlinkSync(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

export const durableFiles: DurableFiles = {
  makeDirectory: (directory) => {
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
  },
  create,
  openLog: (file) => openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600),
  append: writeAll,
  truncate: ftruncateSync,
  rename: renameSync,
  link: linkSync,
  unlink: (file) => {
    try {
      unlinkSync(file);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  },
  sync: fdatasyncAsync,
  syncPath: async (file) => {
    // Opened and closed here: a turn of the thread pool for each takes longer than they do.
    const descriptor = openSync(file, "r");
    try {
      await fsyncAsync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
};
