// Undo: all of what was asked for may be put back, or nothing is touched. What breaks off halfway can be started again: what is back already
// counts as unchanged.
import type { UndoReport } from "../contracts/changes.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { wellFormedByteText } from "../kit/byte-text.ts";
import type { LoadedChanges } from "./load-changes.ts";
import { type ReadBefore, removeLeft, restorePath } from "./restore-files.ts";
import { RootTree } from "./root-tree.ts";
import { selectChanges } from "./select-changes.ts";
import { planUndo, type UndoPlan } from "./undo-plan.ts";

export interface UndoWanted {
  /** Absolute; none means all. */
  readonly paths: readonly string[];
  /** Leave alone what cannot be put back, instead of refusing. */
  readonly isPartial: boolean;
}

function refuse({ task }: LoadedChanges, { refused }: UndoPlan): void {
  const edited = refused.filter(({ why }) => why !== "notKept");
  const values = (files: UndoPlan["refused"]) => ({ path: wellFormedByteText(files[0]?.path ?? ""), task, count: files.length });
  if (edited.length > 0) throw new GloveboxError("CHANGES_EDITED", "changes.edited", { values: values(edited) });
  if (refused.length > 0) throw new GloveboxError("CHANGES_NOT_KEPT", "changes.not-kept", { values: values(refused) });
}

function depth(path: string): number {
  return path.split("/").length;
}

function apply(loaded: LoadedChanges, plan: UndoPlan, trees: readonly RootTree[]): void {
  const read: ReadBefore = (offset, length) => loaded.before.read(offset, length);
  const byDepth = plan.steps.toSorted((left, right) => depth(left.change.path) - depth(right.change.path));
  for (const step of byDepth.toReversed()) removeLeft(step);
  for (const tree of trees) tree.forget();
  for (const step of byDepth) if (step.change.kind !== "mode" || step.change.before?.type !== "directory") restorePath(step, read);
  // Last, so that a directory that nobody may write into can be filled first.
  for (const step of byDepth.toReversed())
    if (step.change.before?.type === "directory") restorePath({ ...step, change: { ...step.change, kind: "mode" } }, read);
}

/**
 * @param begin called when nothing was refused and before anything is touched
 * @throws CHANGES_EDITED, CHANGES_NOT_KEPT, USAGE_INVALID; then nothing was touched
 */
export async function undoChanges(
  loaded: LoadedChanges,
  wanted: UndoWanted,
  begin: (plan: UndoPlan) => Promise<void>,
): Promise<UndoReport> {
  if (loaded.list.missed > 0 && wanted.paths.length === 0 && !wanted.isPartial) {
    throw new GloveboxError("CHANGES_NOT_KEPT", "changes.incomplete", { values: { task: loaded.task, count: loaded.list.missed } });
  }
  const trees = loaded.list.roots.flatMap((root) => RootTree.open(root.path, root.identity) ?? []);
  try {
    const plan = planUndo(loaded, selectChanges(loaded.task, loaded.list.changes, wanted.paths), trees);
    if (!wanted.isPartial) refuse(loaded, plan);
    await begin(plan);
    apply(loaded, plan, trees);
    return { task: loaded.task, restored: plan.steps.map(({ change }) => change.path), unchanged: plan.unchanged, refused: plan.refused };
  } finally {
    for (const tree of trees) tree.close();
  }
}
