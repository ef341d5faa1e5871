// What a directory tree occupies, whatever names hostile programs gave its files. It follows no link.
import { lstatSync, opendirSync } from "node:fs";

/** A file counts at least this much, so that a million empty ones count too. */
export const leastFileBytes = 4096;
const sliceFiles = 2000;

export interface TreeMeasure {
  /** No more than a little over `enough`. */
  readonly bytes: number;
  /** False when a part of it could not be looked at. */
  readonly isWhole: boolean;
}

/** @param enough looks no further once there are more bytes */
export async function measureTree(root: string, enough: number): Promise<TreeMeasure> {
  const waiting: Buffer[] = [Buffer.from(root)];
  let [bytes, seen, isWhole] = [0, 0, true];
  for (let at = waiting.pop(); at !== undefined && bytes <= enough; at = waiting.pop()) {
    try {
      // As bytes, one to a letter: what is no UTF-8 would not be found again as text.
      using directory = opendirSync(at, { encoding: "latin1" });
      for (let entry = directory.readSync(); entry !== null && bytes <= enough; entry = directory.readSync()) {
        const file = Buffer.concat([at, Buffer.from(`/${entry.name}`, "latin1")]);
        const found = lstatSync(file, { throwIfNoEntry: false });
        if (found?.isDirectory() === true) waiting.push(file);
        bytes += Math.max((found?.blocks ?? 0) * 512, leastFileBytes);
        if ((seen += 1) % sliceFiles === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } catch {
      isWhole = false; // too deep, closed, or removed meanwhile: the caller decides what that means
    }
  }
  return { bytes, isWhole };
}
