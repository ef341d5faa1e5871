// What lies at a path, as a change list says it: from the host's own eyes now, and from the mediator's before.
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { PathState } from "../contracts/changes.ts";
import type { TouchedState } from "../guard/guard.ts";
import type { RootTree } from "./root-tree.ts";

/** Longest file that is hashed; of a longer one the time of its last change stands for it. */
export const hashedBytesMax = 256 * 1024 * 1024;

const typeBits = 0o170000;
const types: ReadonlyMap<number, PathState["type"]> = new Map([
  [0o100000, "file"],
  [0o040000, "directory"],
  [0o120000, "link"],
]);

function typeOf(mode: number): PathState["type"] {
  return types.get(mode & typeBits) ?? "other";
}

/** `take` sees the bytes while they are hashed. */
export function hashFile(tree: RootTree, path: string, take: (bytes: Buffer) => void = () => {}): string | undefined {
  const hash = createHash("sha256");
  const isWhole = tree.read(path, hashedBytesMax, (bytes) => {
    hash.update(bytes);
    take(bytes);
  });
  return isWhole ? hash.digest("hex") : undefined;
}

/** @param hash of a regular file, undefined where it is not known: then the time of its last change stands for it */
export function stateNow(
  tree: RootTree,
  path: string,
  found: BigIntStats | undefined = tree.look(path),
  hash: (found: BigIntStats) => string | undefined = () => hashFile(tree, path),
): PathState | undefined {
  if (found === undefined) return undefined;
  const mode = Number(found.mode);
  const type = typeOf(mode);
  const state = { type, mode: mode & 0o7777 };
  if (type === "link") return { ...state, target: tree.linkTarget(path) ?? "" };
  if (type !== "file") return state;
  const sha256 = hash(found);
  return { ...state, size: Number(found.size), ...(sha256 === undefined ? { changedNs: found.ctimeNs.toString() } : { sha256 }) };
}

/** @param sha256 of its content, when that is known */
export function stateBefore(touched: TouchedState, sha256: string | undefined): PathState {
  const type = typeOf(touched.mode);
  const state = { type, mode: touched.mode & 0o7777 };
  if (type === "link") return { ...state, target: touched.target };
  if (type !== "file") return state;
  return { ...state, size: touched.size, ...(sha256 === undefined ? { changedNs: touched.changedNs } : { sha256 }) };
}

/** Whether what lies there is in this state; what was not hashed then is not hashed now. */
export function isInState(tree: RootTree, path: string, state: PathState | undefined): boolean {
  const isHashed = state?.sha256 !== undefined;
  return isSameState(isHashed ? stateNow(tree, path) : stateNow(tree, path, tree.look(path), () => undefined), state);
}

export function isSameState(left: PathState | undefined, right: PathState | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.mode === right.mode && isSameContent(left, right);
}

/** But for its permissions. The mode of a link means nothing. */
export function isSameContent(left: PathState, right: PathState): boolean {
  if (left.type !== right.type) return false;
  if (left.type === "link") return left.target === right.target;
  if (left.type !== "file") return true;
  if (left.size !== right.size) return false;
  if (left.sha256 !== undefined && right.sha256 !== undefined) return left.sha256 === right.sha256;
  return left.changedNs !== undefined && left.changedNs === right.changedNs;
}
