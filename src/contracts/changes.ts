// What one task changed in its write roots: the list that the host makes when the sandbox is gone, and what can be asked about it.
// Paths and link targets are byte text (kit/byte-text.ts): a name is whatever the command made it.
import * as z from "zod";
import { madeOnce } from "./made-once.ts";

const count = madeOnce(() => z.int().min(0));
const sha256 = madeOnce(() => z.string().regex(/^[0-9a-f]{64}$/u));

/** Why the bytes of a file from before the task were not kept. */
export const notKeptSchema = madeOnce(() => z.enum(["tooLarge", "noRoom", "unreadable", "notFound"]));

/** What lies at a path. */
export const pathStateSchema = madeOnce(() =>
  z.strictObject({
    type: z.enum(["file", "directory", "link", "other"]),
    /** Permission bits. */
    mode: count(),
    /** Of a file: bytes. */
    size: count().optional(),
    /** Of a file that was read whole. */
    sha256: sha256().optional(),
    /** Nanoseconds of the inode's last change, for a file that was too large to read. */
    changedNs: z.string().optional(),
    /** Of a symbolic link. */
    target: z.string().optional(),
  }),
);
export type PathState = z.infer<ReturnType<typeof pathStateSchema>>;

/** Of a state from before: where its bytes are kept, or why they are not. Files only. */
export const keptBytesSchema = madeOnce(() => z.union([z.strictObject({ offset: count(), length: count() }), notKeptSchema()]));

export const changeSchema = madeOnce(() =>
  z.strictObject({
    path: z.string(),
    /** `mode`: permission bits alone. `replaced`: another type of file. */
    kind: z.enum(["created", "changed", "deleted", "mode", "replaced"]),
    before: pathStateSchema().optional(),
    after: pathStateSchema().optional(),
    kept: keptBytesSchema().optional(),
    /** Of `created`: where the same file was before. The old path has a change of its own. */
    renamedFrom: z.string().optional(),
    /** A build, a test run or an editor on the host runs or obeys it later. */
    runsLater: z.literal(true).optional(),
    /** Names beyond those of this list that the file had before: they show the change too. */
    otherNames: count().optional(),
    /** Of a file that an undo changes in place, because it has several names: which file that was. */
    inode: z.string().optional(),
    /** Commands of the task that changed it, by number; 1 is the first. */
    commands: z.array(count()),
  }),
);
export type Change = z.infer<ReturnType<typeof changeSchema>>;

export const changeRootSchema = madeOnce(() => z.strictObject({ path: z.string(), identity: z.string() }));

export const changeListSchema = madeOnce(() =>
  z.strictObject({
    format: z.literal(1),
    roots: z.array(changeRootSchema()),
    changes: z.array(changeSchema()),
    /** Changes that are not in the list, because a bound of it was reached or the write root was moved meanwhile. */
    missed: count(),
  }),
);
export type ChangeList = z.infer<ReturnType<typeof changeListSchema>>;

/** The list in numbers, for sheet, result and record. */
export const changeCountsSchema = madeOnce(() =>
  z.strictObject({
    created: count(),
    changed: count(),
    deleted: count(),
    mode: count(),
    replaced: count(),
    /** Among `created`. */
    renamed: count(),
    runsLater: count(),
    /** Moved away after the task, because it should never have been made: a defect of ours. */
    quarantined: count(),
    missed: count(),
  }),
);
export type ChangeCounts = z.infer<ReturnType<typeof changeCountsSchema>>;

/** What the result of a run says about changes. */
export const changeSummarySchema = madeOnce(() =>
  z.strictObject({
    counts: changeCountsSchema(),
    /** The first, at most 20 each. */
    runsLater: z.array(z.string()),
    quarantined: z.array(z.string()),
    /** ISO date until which the states from before are kept. */
    keptUntil: z.string(),
  }),
);
export type ChangeSummary = z.infer<ReturnType<typeof changeSummarySchema>>;

/** One entry of a diff. */
export interface DiffEntry {
  readonly change: Change;
  /** Unified, of text files. */
  readonly lines?: readonly string[];
  /** Why there are none. `edited`: what lies there now is not what the task left. */
  readonly absent?: "binary" | "tooLarge" | "notKept" | "edited" | "noContent";
}

export interface TaskDiff {
  readonly task: string;
  readonly entries: readonly DiffEntry[];
  readonly counts: ChangeCounts;
}

export interface UndoReport {
  readonly task: string;
  /** Paths put back, in the order of the list. */
  readonly restored: readonly string[];
  /** Were as before already. */
  readonly unchanged: readonly string[];
  /** Left alone, with `isPartial` only. */
  readonly refused: readonly { readonly path: string; readonly why: UndoRefusal }[];
}

/** `edited`: somebody changed it after the task. `notKept`: its bytes from before are not there. `notEmpty`: a directory holds what the task did not make. */
export type UndoRefusal = "edited" | "notKept" | "notEmpty" | "parent";

export const noChanges: ChangeCounts = {
  created: 0,
  changed: 0,
  deleted: 0,
  mode: 0,
  replaced: 0,
  renamed: 0,
  runsLater: 0,
  quarantined: 0,
  missed: 0,
};
