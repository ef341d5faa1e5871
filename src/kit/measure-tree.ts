// What directory trees occupy, whatever hostile programs did to hide it. It follows no link.
import { lstatSync, opendirSync, type Stats } from "node:fs";

/** A file counts at least this much, so that a million empty ones count too. */
export const leastFileBytes = 4096;
const sliceFiles = 2000;

export interface TreeMeasure {
  /** No more than a little over `enough`. */
  readonly bytes: number;
  /** False when a directory that counts could not be looked into: too deep, or closed. One that is gone is empty. */
  readonly isWhole: boolean;
}

export interface Measuring {
  /** Looks no further once there are more bytes. */
  readonly enough: number;
  /** Counts only what has changed since, by the time that no program can set. */
  readonly sinceMs?: number;
}

interface Waiting {
  readonly path: Buffer;
  readonly counts: boolean;
}

const isGone = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

/** With what lies in it, name by name, as bytes: what is no UTF-8 would not be found again as text. */
function* entriesOf(directory: Buffer): Generator<readonly [Buffer, Stats]> {
  using opened = opendirSync(directory, { encoding: "latin1" });
  for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
    const path = Buffer.concat([directory, Buffer.from(`/${entry.name}`, "latin1")]);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined) yield [path, found];
  }
}

const sizeOf = ({ blocks }: Stats): number => Math.max(blocks * 512, leastFileBytes);

function fileAt(root: string): Stats | undefined {
  try {
    const found = lstatSync(root);
    return found.isDirectory() ? undefined : found;
  } catch {
    return undefined; // it is gone, or nobody may look
  }
}

/** @param roots directories, whose own entries are not counted, and single files */
export async function measureTrees(roots: readonly string[], { enough, sinceMs = 0 }: Measuring): Promise<TreeMeasure> {
  const waiting: Waiting[] = [];
  let [bytes, seen, isWhole] = [0, 0, true];
  for (const root of roots) {
    // A file has no entries; whatever else stands in the way is found again, and judged, below.
    const found = fileAt(root);
    if (found === undefined) waiting.push({ path: Buffer.from(root), counts: true });
    else if (found.ctimeMs >= sinceMs) bytes += sizeOf(found);
  }
  for (let at = waiting.pop(); at !== undefined && bytes <= enough; at = waiting.pop()) {
    try {
      for (const [path, found] of entriesOf(at.path)) {
        const counts = found.ctimeMs >= sinceMs;
        if (found.isDirectory()) waiting.push({ path, counts });
        if (counts) bytes += sizeOf(found);
        if (bytes > enough) break;
        // Whoever looks has other work meanwhile.
        if ((seen += 1) % sliceFiles === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      if (at.counts && !isGone(error)) isWhole = false;
    }
  }
  return { bytes, isWhole };
}
