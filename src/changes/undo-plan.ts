// What undoing each change takes, and whether it may be done: nothing here changes anything.
import type { Change, PathState, UndoRefusal } from "../contracts/changes.ts";
import type { LoadedChanges } from "./load-changes.ts";
import { isInState, stateNow } from "./path-state.ts";
import type { RootTree } from "./root-tree.ts";

export interface UndoStep {
  readonly change: Change;
  readonly tree: RootTree;
}

export interface UndoPlan {
  readonly steps: readonly UndoStep[];
  /** Are as they were before the task already. */
  readonly unchanged: readonly string[];
  readonly refused: readonly { readonly path: string; readonly why: UndoRefusal }[];
}

/** The one that holds `path`. */
export function treeOf(trees: readonly RootTree[], path: string): RootTree | undefined {
  return trees.find((tree) => tree.holds(path));
}

function bytesAreKept({ kind, before, kept }: Change, loaded: LoadedChanges): boolean {
  if (before?.type !== "file" || kind === "mode") return true;
  return kept !== undefined && typeof kept !== "string" && (kept.length === 0 || loaded.before.read(kept.offset, 1) !== undefined);
}

/** Pipes, sockets and devices are not made again. */
function canBeMade(before: PathState | undefined): boolean {
  return before?.type !== "other";
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** What is changed in place must be the file that the task changed, not another one that has its name now. */
function isSameFile({ path, inode }: Change, tree: RootTree): boolean {
  return inode === undefined || tree.look(path)?.ino.toString() === inode;
}

function mayHoldOthers(tree: RootTree, path: string, going: ReadonlySet<string>): boolean {
  const names = tree.entries(path);
  return names === "closed" || names.some((name) => !going.has(`${path}/${name}`));
}

type Verdict = UndoRefusal | "unchanged" | "goes";

/** @param going paths that undoing takes away, so far: those below come first */
function judge(change: Change, tree: RootTree | undefined, loaded: LoadedChanges, going: ReadonlySet<string>): Verdict {
  if (tree === undefined || tree.lookUnlessClosed(change.path) === "closed") return "parent";
  if (isInState(tree, change.path, change.before)) return "unchanged";
  if (!isInState(tree, change.path, change.after) || !isSameFile(change, tree)) return "edited";
  if (!bytesAreKept(change, loaded) || !canBeMade(change.before)) return "notKept";
  const leaves = change.after?.type === "directory" && change.before?.type !== "directory";
  return leaves && mayHoldOthers(tree, change.path, going) ? "notEmpty" : "goes";
}

/** Whether there is, or will be, a directory to put it into. */
function hasParent({ change, tree }: UndoStep, made: ReadonlySet<string>): boolean {
  const parent = parentOf(change.path);
  if (change.before === undefined || parent === tree.path || made.has(parent)) return true;
  return stateNow(tree, parent)?.type === "directory";
}

export function planUndo(loaded: LoadedChanges, changes: readonly Change[], trees: readonly RootTree[]): UndoPlan {
  const going = new Set<string>();
  const candidates: UndoStep[] = [];
  const unchanged: string[] = [];
  const refused: { path: string; why: UndoRefusal }[] = [];
  // The list is sorted: what lies below a path comes behind it.
  for (const change of changes.toReversed()) {
    const tree = treeOf(trees, change.path);
    const verdict = judge(change, tree, loaded, going);
    if (verdict === "unchanged") unchanged.unshift(change.path);
    else if (verdict !== "goes" || tree === undefined) refused.unshift({ path: change.path, why: verdict === "goes" ? "parent" : verdict });
    else candidates.unshift({ change, tree });
    if (verdict === "goes" && change.before === undefined) going.add(change.path);
  }
  const made = new Set<string>();
  const steps = candidates.filter((step) => {
    const isGood = hasParent(step, made);
    if (!isGood) refused.push({ path: step.change.path, why: "parent" });
    else if (step.change.before?.type === "directory") made.add(step.change.path);
    return isGood;
  });
  return { steps, unchanged, refused };
}
