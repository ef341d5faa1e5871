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

export async function measureTrees(roots: readonly string[], { enough, sinceMs = 0 }: Measuring): Promise<TreeMeasure> {
  const waiting: Waiting[] = roots.map((root) => ({ path: Buffer.from(root), counts: true }));
  let [bytes, seen, isWhole] = [0, 0, true];
  for (let at = waiting.pop(); at !== undefined && bytes <= enough; at = waiting.pop()) {
    try {
      for (const [path, found] of entriesOf(at.path)) {
        const counts = found.ctimeMs >= sinceMs;
        if (found.isDirectory()) waiting.push({ path, counts });
        if (counts) bytes += Math.max(found.blocks * 512, leastFileBytes);
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
