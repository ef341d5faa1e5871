// The verifier's eyes: reads a state directory and nothing else.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ArtifactMention, BlobMention, Finding } from "./walk.ts";

const settleMs = 50;

/** More than any file of a ledger: a segment ends at 64 MiB, plus one record. */
const mostBytes = 256 * 1024 * 1024;

/** The bytes of a regular file. A link, a pipe or a device in its place is an error at once: it never waits and never reads without end. */
async function readRegular(file: string): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > mostBytes) {
      throw Object.assign(new Error(`Cannot read "${file}": it is no file of a ledger`), { code: found.isFile() ? "EFBIG" : "EINVAL" });
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** A file's bytes; undefined when it does not exist. */
export async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readRegular(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Names of the segments in order. */
export async function segmentNames(directory: string): Promise<readonly string[]> {
  const names = await readdir(path.join(directory, "ledger"));
  return names.filter((name) => /^segment-\d{8}\.log$/u.test(name)).toSorted();
}

/** Reads a file again until it stops growing: a writer may be in the middle of a write. */
export async function readSettled(file: string): Promise<Buffer> {
  let bytes = await readRegular(file);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (bytes.length === 0 || bytes.at(-1) === 0x0a) return bytes;
    await delay(settleMs);
    const again = await readRegular(file);
    if (again.length === bytes.length) return again;
    bytes = again;
  }
  return bytes;
}

/** Compares a record's blob with its name. A task without a key was erased, or its blobs were not copied along: no finding. */
export async function checkBlob(directory: string, mention: BlobMention): Promise<Finding | undefined> {
  const name = /^sha256:(?<hex>[0-9a-f]{64})$/u.exec(mention.digest)?.groups?.["hex"];
  const { seq, segment, task } = mention;
  const values = { seq, segment, task };
  if (name === undefined || !/^t-[0-9a-f-]{25}$/u.test(task)) return { exit: 6, segment, seq, situation: "unreadable-blob", values };
  const bytes = await readIfThere(path.join(directory, "blobs", task, name));
  if (bytes !== undefined) {
    const same = createHash("sha256").update(bytes).digest("hex") === name;
    return same ? undefined : { exit: 1, segment, seq, situation: "altered-blob", values };
  }
  const key = await readIfThere(path.join(directory, "blobs", task, "key"));
  return key === undefined ? undefined : { exit: 4, segment, seq, situation: "missing-blob", values };
}

const isDay = /^\d{4}-\d\d-\d\d$/u;
const isId = /^[at]-[0-9a-f-]{25}$/u;
/** More than a policy can ask for. */
const mostPieces = 65_536;

/** undefined when one of them is not there. */
async function digestOfPieces(directory: string, pieces: number): Promise<string | undefined> {
  const all = createHash("sha256");
  for (let index = 0; index < pieces; index += 1) {
    const bytes = await readIfThere(path.join(directory, String(index)));
    if (bytes === undefined) return undefined;
    all.update(createHash("sha256").update(bytes).digest());
  }
  return `sha256:${all.digest("hex")}`;
}

/** Whether they are to be there: until their last day, unless the task was erased or the ledger was copied without what lies beside it. */
async function isOwed(directory: string, { task, until }: ArtifactMention): Promise<boolean> {
  if (until < new Date().toISOString().slice(0, 10)) return false;
  return (await readIfThere(path.join(directory, "blobs", task, "key"))) !== undefined;
}

/** Files that a command handed back: as they were, or gone before their time. */
export async function checkArtifacts(directory: string, mention: ArtifactMention): Promise<Finding | undefined> {
  const { task, action, until, files, pieces, content, seq, segment } = mention;
  const values = { seq, segment, task, action };
  if (!isId.test(task) || !isId.test(action) || !isDay.test(until) || pieces > mostPieces)
    return { exit: 6, segment, seq, situation: "unreadable-artifacts", values };
  const kept = path.join(directory, "artifacts", `${task}.${until}`, action);
  const isKept = await stat(kept).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isKept) {
    if (!(await isOwed(directory, mention))) return undefined;
    return { exit: 4, segment, seq, situation: "gone-artifacts", values: { ...values, files, until, place: kept } };
  }
  if ((await digestOfPieces(kept, pieces)) === content) return undefined;
  return { exit: 1, segment, seq, situation: "altered-artifacts", values };
}
