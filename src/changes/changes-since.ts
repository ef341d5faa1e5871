// What a task changed after one of its checkpoints: the list at its end, seen from the state at that moment.
import type { Change, ChangeList, PathState } from "../contracts/changes.ts";
import { kindOf } from "./collect-changes.ts";
import { isSameState } from "./path-state.ts";

interface Sides {
  /** Of the end; undefined: there the path is as it was before the task. */
  readonly end: Change | undefined;
  readonly after: PathState | undefined;
}

/** @param base how far the checkpoint's bytes lie behind those of the end */
function changeSince(at: Change, { end, after }: Sides, base: number): Change | undefined {
  const before = at.after;
  if (isSameState(before, after)) return undefined;
  const isOwn = end !== undefined && end.inode === undefined;
  const kind = kindOf(before, after, isOwn);
  const kept = at.kept === undefined || typeof at.kept === "string" ? at.kept : { ...at.kept, offset: at.kept.offset + base };
  return {
    path: at.path,
    kind,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(kept === undefined || before?.type !== "file" || kind === "mode" ? {} : { kept }),
    ...(end?.runsLater === undefined ? {} : { runsLater: end.runsLater }),
    ...(end?.otherNames === undefined || kind !== "changed" ? {} : { otherNames: end.otherNames }),
    ...(end?.inode === undefined ? {} : { inode: end.inode }),
    commands: end?.commands ?? at.commands,
  };
}

/**
 * @param end of the whole task
 * @param at the checkpoint; what it does not list was then as before the task
 * @param base added to the places of the checkpoint's bytes
 */
export function changesSince(end: ChangeList, at: ChangeList, base: number): ChangeList {
  const atCheckpoint = new Map(at.changes.map((change) => [change.path, change]));
  const atEnd = new Map(end.changes.map((change) => [change.path, change]));
  const since: Change[] = end.changes.filter(({ path }) => !atCheckpoint.has(path));
  for (const change of at.changes) {
    const last = atEnd.get(change.path);
    const found = changeSince(change, { end: last, after: last === undefined ? change.before : last.after }, base);
    if (found !== undefined) since.push(found);
  }
  const changes = since.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  return { format: 1, roots: end.roots.length > 0 ? end.roots : at.roots, changes, missed: end.missed + at.missed };
}
