// The Merkle tree of RFC 9162 section 2.1, kept as its frontier: the roots of the full subtrees, largest first.
import { hash } from "node:crypto";

export const hashBytes = 32;

export interface Frontier {
  /** Number of leaves. */
  readonly size: number;
  /** One root for each set bit of `size`. */
  readonly roots: readonly Buffer[];
}

export const emptyFrontier: Frontier = { size: 0, roots: [] };

export function leafHash(bytes: Uint8Array): Buffer {
  return hash("sha256", Buffer.concat([Buffer.of(0), bytes]), "buffer");
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return hash("sha256", Buffer.concat([Buffer.of(1), left, right]), "buffer");
}

export function appendLeaf(frontier: Frontier, leaf: Buffer): Frontier {
  const roots = [...frontier.roots];
  let merged = leaf;
  for (let size = frontier.size; size % 2 === 1; size = (size - 1) / 2) {
    const left = roots.pop();
    if (left !== undefined) merged = nodeHash(left, merged);
  }
  roots.push(merged);
  return { size: frontier.size + 1, roots };
}

/** The tree's root; of the empty tree, SHA-256 of nothing. */
export function rootOf(frontier: Frontier): Buffer {
  const last = frontier.roots.at(-1);
  if (last === undefined) return hash("sha256", "", "buffer");
  return frontier.roots.slice(0, -1).reduceRight<Buffer>((right, left) => nodeHash(left, right), last);
}

/** How many roots a frontier of `size` leaves has. */
export function rootCount(size: number): number {
  let count = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}
