// The file of a touch log on the host: made before the guard starts, read when the sandbox is gone, by whoever closes it or finds it dead.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { isPresent } from "../kit/is-present.ts";
import { readTouchRecords, type TouchRecords } from "./touch-records.ts";
import { lazily } from "../kit/lazily.ts";

/** Of one file, and of all files of a task: contents beyond it are listed and not kept. */
export const contentMax = { fileBytes: 16 * 1024 * 1024, taskBytes: 256 * 1024 * 1024 } as const;

/** A write root as it was when the sandbox was opened. */
export interface TouchedRoot {
  readonly path: string;
  /** `device:inode` */
  readonly identity: string;
}

export interface Touches {
  readonly roots: readonly TouchedRoot[];
  /** Names that the mediator was told to protect. */
  readonly names: readonly string[];
  readonly records: TouchRecords;
  /** Bytes of a kept content. */
  readonly read: (offset: number, length: number) => Buffer;
  close(): void;
}

const rootsSchema = lazily(() =>
  z.strictObject({
    roots: z.array(z.strictObject({ path: z.string().startsWith("/"), identity: z.string() })),
    names: z.array(z.string()),
  }),
);
const windowBytes = 1024 * 1024;

export const touchLogPath = (directory: string): string => path.join(directory, "touches.log");
const rootsFile = (directory: string): string => path.join(directory, "touches.json");

/** Of a sandbox that was never opened: nobody wrote to it, nobody will read it. */
export function dropTouchLog(directory: string): void {
  for (const file of [rootsFile(directory), touchLogPath(directory)]) if (isPresent(file)) unlinkSync(file);
}

/** @param directory private to the sandbox, never shown inside. @returns a descriptor for the guard, which the caller closes */
export function openTouchLog(directory: string): number {
  dropTouchLog(directory);
  return openSync(touchLogPath(directory), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
}

/** What the log is about: once, before the guard is told of any root. */
export function nameTouchedRoots(
  directory: string,
  { roots, names }: { readonly roots: readonly string[]; readonly names: readonly string[] },
): void {
  const found = roots.map((root): TouchedRoot => {
    const { dev, ino } = lstatSync(root, { bigint: true });
    return { path: root, identity: `${dev}:${ino}` };
  });
  writeFileSync(rootsFile(directory), JSON.stringify({ roots: found, names }), { flag: "wx", mode: 0o600 });
}

function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let have = 0;
  while (have < length) {
    const got = readSync(descriptor, bytes, have, length - have, offset + have);
    if (got === 0) break;
    have += got;
  }
  return bytes.subarray(0, have);
}

/** Reads forward through one window, because records are small. */
function windowed(descriptor: number): (offset: number, length: number) => Buffer {
  let start = 0;
  let window: Buffer = Buffer.alloc(0);
  return (offset, length) => {
    if (length > windowBytes) return readAt(descriptor, offset, length);
    if (offset < start || offset + length > start + window.length) {
      start = offset;
      window = readAt(descriptor, offset, windowBytes);
    }
    return window.subarray(offset - start, offset - start + length);
  };
}

function parseRoots(text: string): z.infer<ReturnType<typeof rootsSchema>> {
  try {
    return rootsSchema().parse(JSON.parse(text));
  } catch {
    return { roots: [], names: [] }; // torn: its sandbox was never started
  }
}

/** undefined when the sandbox had no write root, or was never started. */
export function readTouches(directory: string): Touches | undefined {
  if (!isPresent(touchLogPath(directory)) || !isPresent(rootsFile(directory))) return undefined;
  const descriptor = openSync(touchLogPath(directory), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(descriptor);
    return {
      ...parseRoots(readFileSync(rootsFile(directory), "utf8")),
      records: readTouchRecords(windowed(descriptor), size),
      read: (offset, length) => readAt(descriptor, offset, length),
      close: () => closeSync(descriptor),
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
