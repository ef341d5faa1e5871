// Reads back what one task changed: the list from its record, and the bytes from before as long as they are kept.
import * as z from "zod";
import { type ChangeCounts, changeCountsSchema, type ChangeList, changeListSchema } from "../contracts/changes.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { TaskId } from "../contracts/ids.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import { type BeforeReader, openBefore, storedPiecesSchema, type Unseal } from "./before-store.ts";
import { lazily } from "../kit/lazily.ts";

const detailSchema = lazily(() =>
  z.looseObject({
    pieces: storedPiecesSchema(),
    list: z.strictObject({ offset: z.int().min(0), length: z.int().min(0) }),
    until: z.string().regex(/^\d{4}-\d\d-\d\d$/u),
  }),
);
const bodySchema = lazily(() => z.looseObject({ counts: changeCountsSchema() }));

export interface LoadedChanges {
  readonly task: TaskId;
  readonly list: ChangeList;
  readonly counts: ChangeCounts;
  readonly before: BeforeReader;
}

/**
 * @param records of the task, oldest first
 * @returns undefined when the task changed nothing
 * @throws CHANGES_EXPIRED when what was kept is gone
 */
export function loadChanges(
  task: TaskId,
  records: readonly StoredRecord[],
  kept: { readonly beforeDirectory: string; readonly unseal: Unseal },
): LoadedChanges | undefined {
  // The last one: a reaper that broke off made the list again.
  const record = records.findLast(({ type }) => type === "execution.changes");
  if (record === undefined) return undefined;
  const gone = (until: string): GloveboxError => new GloveboxError("CHANGES_EXPIRED", "changes.expired", { values: { task, until } });
  const detail = detailSchema().safeParse(record.detail);
  if (!detail.success) throw gone("-");
  const { pieces, list, until } = detail.data;
  const before = openBefore({ root: kept.beforeDirectory, task, until }, pieces, kept.unseal);
  const bytes = before.read(list.offset, list.length);
  if (bytes === undefined) throw gone(until);
  return {
    task,
    list: changeListSchema().parse(JSON.parse(bytes.toString("utf8"))),
    counts: bodySchema().parse(record.body).counts,
    before,
  };
}
