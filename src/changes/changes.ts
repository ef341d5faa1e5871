// The room of file changes: what a task changed in its write roots, what differs, and putting it back. The mediator writes down what lay
// there before (native/guard/touch.c); everything else happens here, on the host, when the sandbox is gone.
export { expireKept, keptDaysMax, keptDirectory, keptUntil } from "./before-store.ts";
export { gatherChanges, type GatheredChanges } from "./gather-changes.ts";
export { gatherCheckpoint, type GatheredCheckpoint } from "./gather-checkpoint.ts";
export { type LoadedChanges, loadChanges } from "./load-changes.ts";
export { taskDiff } from "./task-diff.ts";
export { undoChanges, type UndoWanted } from "./undo-changes.ts";
