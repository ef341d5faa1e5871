// Reads back what one task changed, all of it or what came after a checkpoint: the lists from their records, and the bytes as long as they are kept.
import * as z from "zod";
import { type ChangeCounts, changeCountsSchema, type ChangeList, changeListSchema } from "../contracts/changes.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { TaskId } from "../contracts/ids.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import { storedPiecesSchema, type Unseal } from "../contracts/stored-pieces.ts";
import { openBefore } from "./before-store.ts";
import { changesSince } from "./changes-since.ts";
import { countsByKind } from "./counts-by-kind.ts";
import { lazily } from "../kit/lazily.ts";
import type { PieceReader } from "../kit/sealed-pieces.ts";

const detailSchema = lazily(() =>
  z.looseObject({
    pieces: storedPiecesSchema(),
    list: z.strictObject({ offset: z.int().min(0), length: z.int().min(0) }),
    until: z.string().regex(/^\d{4}-\d\d-\d\d$/u),
  }),
);
const bodySchema = lazily(() => z.looseObject({ counts: changeCountsSchema() }));
const checkpointSchema = lazily(() => z.looseObject({ checkpoint: z.int() }));

export interface LoadedChanges {
  readonly task: TaskId;
  readonly list: ChangeList;
  readonly counts: ChangeCounts;
  readonly before: PieceReader;
}

export interface KeptAt {
  readonly beforeDirectory: string;
  readonly unseal: Unseal;
}

interface StoredList {
  readonly list: ChangeList;
  readonly before: PieceReader;
  /** Where the stored bytes end. */
  readonly bytes: number;
}

/** @throws CHANGES_EXPIRED */
function storedList(task: TaskId, record: StoredRecord, { beforeDirectory, unseal }: KeptAt, checkpoint?: number): StoredList {
  const gone = (until: string): GloveboxError => new GloveboxError("CHANGES_EXPIRED", "changes.expired", { values: { task, until } });
  const detail = detailSchema().safeParse(record.detail);
  if (!detail.success) throw gone("-");
  const { pieces, list: place, until } = detail.data;
  const before = openBefore({ root: beforeDirectory, task, until, checkpoint }, pieces, unseal);
  const bytes = before.read(place.offset, place.length);
  if (bytes === undefined) throw gone(until);
  return { list: changeListSchema().parse(JSON.parse(bytes.toString("utf8"))), before, bytes: place.offset + place.length };
}

/** @throws USAGE_INVALID for one that was never made */
function checkpointRecord(task: TaskId, records: readonly StoredRecord[], checkpoint: number): StoredRecord {
  const record = records.find(
    ({ type, body }) => type === "execution.checkpoint" && checkpointSchema().safeParse(body).data?.checkpoint === checkpoint,
  );
  if (record === undefined) throw new GloveboxError("USAGE_INVALID", "changes.checkpoint-unknown", { values: { task, checkpoint } });
  return record;
}

/** The bytes of two places as if they were one: those of the second lie behind those of the first. */
function bothBefore(first: StoredList | undefined, second: StoredList): PieceReader {
  const base = first?.bytes ?? 0;
  return { read: (offset, length) => (offset < base ? first?.before.read(offset, length) : second.before.read(offset - base, length)) };
}

/**
 * @param records of the task, oldest first
 * @param since one of its checkpoints: what it changed after that
 * @returns undefined when the task changed nothing
 * @throws CHANGES_EXPIRED when what was kept is gone, USAGE_INVALID for a checkpoint that there is none of
 */
export function loadChanges(task: TaskId, records: readonly StoredRecord[], kept: KeptAt, since?: number): LoadedChanges | undefined {
  // The last one: a reaper that broke off made the list again.
  const record = records.findLast(({ type }) => type === "execution.changes");
  const end = record === undefined ? undefined : storedList(task, record, kept);
  if (since === undefined) {
    if (record === undefined || end === undefined) return undefined;
    return { task, list: end.list, counts: bodySchema().parse(record.body).counts, before: end.before };
  }
  const at = storedList(task, checkpointRecord(task, records, since), kept, since);
  const list = changesSince(end?.list ?? { format: 1, roots: [], changes: [], missed: 0 }, at.list, end?.bytes ?? 0);
  const counts = { ...countsByKind(list.changes), quarantined: 0, missed: list.missed };
  return { task, list, counts, before: bothBefore(end, at) };
}
