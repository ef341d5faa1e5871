// How much of what a task left behind is read to describe it: a file with many names is hashed once, and all together stay below a bound, because
// a hole in a file costs its maker nothing and its reader time.
import type { BigIntStats } from "node:fs";
import { hashFile } from "./path-state.ts";
import type { RootTree } from "./root-tree.ts";

/** Of one task: bytes that are hashed, and bytes that are compared as text. */
export const readBytesMax = { hashed: 4 * 1024 * 1024 * 1024, text: 64 * 1024 * 1024 } as const;
/** Longest text that is compared for what it runs. */
export const comparedBytesMax = 1024 * 1024;

export class BoundedReading {
  #hashedLeft: number;
  #textLeft: number;
  readonly #known = new Map<string, string | undefined>();

  constructor(most: { readonly hashed: number; readonly text: number } = readBytesMax) {
    this.#hashedLeft = most.hashed;
    this.#textLeft = most.text;
  }

  /** @returns undefined for what cannot be read, is too long, or is one too many; `take` sees the bytes, at each call */
  hash(tree: RootTree, path: string, found: BigIntStats, take?: (bytes: Buffer) => void): string | undefined {
    const key = `${found.dev}:${found.ino}:${found.ctimeNs}`;
    if (take === undefined && this.#known.has(key)) return this.#known.get(key);
    if (Number(found.size) > this.#hashedLeft) return undefined;
    this.#hashedLeft -= Number(found.size);
    const hash = hashFile(tree, path, take);
    this.#known.set(key, hash);
    return hash;
  }

  text(tree: RootTree, path: string, found: BigIntStats | undefined): string | undefined {
    if (found === undefined || Number(found.size) > Math.min(comparedBytesMax, this.#textLeft)) return undefined;
    this.#textLeft -= Number(found.size);
    const parts: Buffer[] = [];
    return tree.read(path, comparedBytesMax, (bytes) => parts.push(Buffer.from(bytes))) ? Buffer.concat(parts).toString("utf8") : undefined;
  }
}
