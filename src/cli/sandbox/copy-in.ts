// Into a sandbox: regular files and directories of the host, read by descriptor without following a link, written by commands inside.
import { constants } from "node:fs";
import { type FileHandle, open, opendir } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "../../contracts/glovebox-error.ts";
import { below } from "../../kit/below.ts";
import { decodeByteText } from "../../kit/byte-text.ts";
import { PublicError, type SandboxFiles } from "../../sdk/sdk.ts";
import { CopyCount, copyRefused } from "./copy-bounds.ts";

const entryFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

export interface CopiedIn {
  /** Files and directories. */
  readonly entries: number;
  readonly bytes: number;
  /** On the host. */
  readonly passedOver: readonly string[];
}

interface Copy {
  readonly files: SandboxFiles;
  readonly count: CopyCount;
  readonly passedOver: string[];
}

/** Undefined for a link and for what nobody can open to read: it is passed over. */
async function opened(place: string, at: Buffer | string): Promise<FileHandle | undefined> {
  try {
    return await open(at, entryFlags);
  } catch (error) {
    const reason = systemErrorCode(error);
    if (reason === "ELOOP" || reason === "ENXIO") return undefined;
    throw reason === undefined ? error : copyRefused("copy.unreadable", place, { reason });
  }
}

async function* counted(source: FileHandle, count: CopyCount): AsyncGenerator<Uint8Array> {
  for await (const part of source.createReadStream({ autoClose: false })) {
    if (!(part instanceof Uint8Array)) continue;
    count.addBytes(part.length);
    yield part;
  }
}

async function copyDirectory(copy: Copy, source: FileHandle, places: { from: string; to: string }): Promise<void> {
  await copy.files.makeDirectory(places.to);
  for await (const { name: bytes } of await opendir(`/proc/self/fd/${source.fd}`, { encoding: "latin1" })) {
    const name = decodeByteText(Buffer.from(bytes, "latin1"));
    const from = `${places.from}/${name}`;
    if (!name.isWellFormed()) throw copyRefused("copy.unlistable", from);
    await using entry = await opened(from, below(source.fd, name));
    await copyEntry(copy, entry, { from, to: `${places.to}/${name}` });
  }
}

async function copyEntry(copy: Copy, source: FileHandle | undefined, places: { from: string; to: string }): Promise<void> {
  const found = await source?.stat();
  if (source === undefined || found === undefined || !(found.isFile() || found.isDirectory())) {
    copy.passedOver.push(places.from);
    return;
  }
  copy.count.addEntry();
  if (found.isDirectory()) await copyDirectory(copy, source, places);
  else await copy.files.write(places.to, counted(source, copy.count));
}

/** Whether something lies there, a link too. */
async function isThere(files: SandboxFiles, place: string): Promise<boolean> {
  try {
    await files.tree(place, { depth: 0 });
    return true;
  } catch (error) {
    if (error instanceof PublicError && error.details["reason"] === "ENOENT") return false;
    throw error;
  }
}

/** @param places `from`: absolute @throws FILE_UNAVAILABLE, and what writing inside throws; then a part may lie there */
export async function copyIn(files: SandboxFiles, places: { from: string; to: string }, isForced: boolean): Promise<CopiedIn> {
  const { from, to } = places;
  await using source = await opened(from, path.resolve(from));
  const found = await source?.stat();
  if (found === undefined || !(found.isFile() || found.isDirectory())) throw copyRefused("copy.kind", from);
  if (await isThere(files, to)) {
    if (!isForced || found.isDirectory()) throw copyRefused("copy.exists", to);
    const [top] = (await files.tree(to, { depth: 0 })) ?? [];
    if (top?.kind === "directory") throw copyRefused("copy.exists", to);
    // A link itself goes, not where it leads.
    await files.remove(to);
  }
  const copy = { files, count: new CopyCount(from), passedOver: [] };
  await copyEntry(copy, source, places);
  return { entries: copy.count.entries, bytes: copy.count.bytes, passedOver: copy.passedOver };
}
