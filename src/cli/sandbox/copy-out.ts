// Out of a sandbox: what is told inside becomes files at one new place, by descriptor, so that nothing that is told or put in the way meanwhile leads
// elsewhere. Links, pipes and devices are passed over. INVARIANT I-04, I-13
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { randomBytes } from "node:crypto";
import { systemErrorCode } from "../../contracts/glovebox-error.ts";
import { below } from "../../kit/below.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import type { SandboxFiles, TreeEntry } from "../../sdk/sdk.ts";
import { CopyCount, copyRefused } from "./copy-bounds.ts";

const partBytes = 4 * 1024 * 1024;
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const directory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export interface CopiedOut {
  /** Files and directories. */
  readonly entries: number;
  readonly bytes: number;
  /** From the place on. */
  readonly passedOver: readonly TreeEntry[];
}

interface Copy {
  readonly files: SandboxFiles;
  /** Inside. */
  readonly from: string;
  /** On the host; absolute. */
  readonly to: string;
  readonly count: CopyCount;
}

async function writing<Value>(place: string, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    const reason = systemErrorCode(error);
    if (reason === undefined) throw error;
    throw copyRefused(reason === "EEXIST" ? "copy.exists" : "copy.unwritable", place, { reason });
  }
}

/** One file's bytes, however long it is by now. */
async function writeFile({ files, from, to, count }: Copy, entry: TreeEntry, at: { parent: FileHandle; name: string }): Promise<void> {
  const source = entry.path === "" ? from : `${from}/${entry.path}`;
  await using target = await writing(to, () => open(below(at.parent.fd, at.name), newFile, entry.isExecutable ? 0o700 : 0o600));
  count.addEntry();
  for (let offset = 0; ; offset += partBytes) {
    const { bytes, isTruncated } = await files.read(source, { offset, maxBytes: partBytes });
    count.addBytes(bytes.length);
    await writing(to, () => target.writeFile(bytes));
    if (!isTruncated) return;
  }
}

/** The directory that holds a path's last name, from one that is open: no part of the way is a link. */
async function holderOf(root: FileHandle, names: readonly string[], to: string): Promise<FileHandle> {
  let held = await open(`/proc/self/fd/${root.fd}`, constants.O_RDONLY | constants.O_DIRECTORY);
  for (const name of names) {
    await using above = held;
    held = await writing(to, () => open(below(above.fd, name), directory));
  }
  return held;
}

/** Into a directory that was made for it. */
async function copyTree(copy: Copy, entries: readonly TreeEntry[], parent: FileHandle): Promise<readonly TreeEntry[]> {
  const { to, count } = copy;
  const name = path.basename(to);
  await using root = await writing(to, () => open(below(parent.fd, name), directory));
  const passedOver: TreeEntry[] = [];
  for (const entry of entries.slice(1)) {
    const names = entry.path.split("/");
    const last = names.pop() ?? "";
    await using holder = await holderOf(root, names, to);
    if (entry.kind === "file") await writeFile(copy, entry, { parent: holder, name: last });
    else if (entry.kind === "directory") {
      count.addEntry();
      await writing(to, () => mkdir(below(holder.fd, last), 0o700));
    } else passedOver.push(entry);
  }
  return passedOver;
}

/** A file is whole before it has its name. */
async function copyFile(copy: Copy, entry: TreeEntry, { parent, isForced }: { parent: FileHandle; isForced: boolean }): Promise<void> {
  const own = path.basename(copy.to);
  const name = isForced ? `.${randomBytes(8).toString("hex")}.glovebox` : own;
  try {
    await writeFile(copy, entry, { parent, name });
    if (isForced) await writing(copy.to, () => rename(below(parent.fd, name), below(parent.fd, own)));
  } catch (error) {
    const isThere = !(error instanceof Error && "situation" in error && error.situation === "copy.exists");
    if (isThere) await unlink(below(parent.fd, name)).catch(() => {}); // it may not have come to be
    throw error;
  }
}

/** @param to absolute @throws FILE_UNAVAILABLE, and what reading inside throws; then nothing of it is left */
export async function copyOut(files: SandboxFiles, places: { from: string; to: string }, isForced: boolean): Promise<CopiedOut> {
  const { from, to } = places;
  const entries = await files.tree(from);
  const [top] = entries ?? [];
  if (entries === undefined || top === undefined) throw copyRefused("copy.unlistable", from);
  if (top.kind === "link" || top.kind === "other") throw copyRefused("copy.kind", from);
  const copy = { files, from, to, count: new CopyCount(from) };
  await using parent = await writing(to, () => open(path.dirname(to), constants.O_RDONLY | constants.O_DIRECTORY));
  if (top.kind === "file") {
    await copyFile(copy, top, { parent, isForced });
    return { entries: 1, bytes: copy.count.bytes, passedOver: [] };
  }
  await writing(to, () => mkdir(below(parent.fd, path.basename(to)), 0o700));
  try {
    const passedOver = await copyTree(copy, entries, parent);
    return { entries: copy.count.entries + 1, bytes: copy.count.bytes, passedOver };
  } catch (error) {
    await removeTree(to, { parent: path.dirname(to) });
    throw error;
  }
}
