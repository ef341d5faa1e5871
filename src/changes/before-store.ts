// Bytes from before a task, in encrypted pieces below the state directory. A directory's name says whose they are and until when they are
// kept, so that expiry needs nothing but the name. INVARIANT I-10
import { readdirSync } from "node:fs";
import path from "node:path";
import { systemErrorCode } from "../contracts/glovebox-error.ts";
import { type TaskId, taskIdSchema } from "../contracts/ids.ts";
import type { Seal, StoredPieces, Unseal } from "../contracts/stored-pieces.ts";
import { removeTree } from "../kit/remove-tree.ts";
import { openPieces, type PieceReader, PieceWriter } from "../kit/sealed-pieces.ts";

const dayMs = 86_400_000;
/** However long records are kept. */
export const keptDaysMax = 30;

export function keptUntil(nowMs: number, retentionDays: number): string {
  return new Date(nowMs + Math.min(retentionDays, keptDaysMax) * dayMs).toISOString().slice(0, 10);
}

/** What is kept of a task: the name says whose it is and until when it stays. INVARIANT I-10 */
export function keptDirectory(root: string, task: TaskId, until: string): string {
  return path.join(root, `${task}.${until}`);
}

/** Where bytes of a task lie: those from before it, or those of one of its checkpoints. */
export interface KeptPlace {
  readonly root: string;
  readonly task: TaskId;
  readonly until: string;
  /** From 1 on. */
  readonly checkpoint?: number | undefined;
}

function placeDirectory({ root, task, until, checkpoint }: KeptPlace): string {
  const directory = keptDirectory(root, task, until);
  return checkpoint === undefined ? directory : `${directory}.${checkpoint}`;
}

/** Bound to the bytes: no piece can stand in the place of another. */
function pieceName({ checkpoint }: KeptPlace, index: number): string {
  return checkpoint === undefined ? String(index) : `${checkpoint}.${index}`;
}

/** Writes nothing before there are bytes; what an earlier try left is removed. */
export async function openBeforeWriter(place: KeptPlace, seal: Seal): Promise<PieceWriter> {
  await removeTree(placeDirectory(place), { parent: place.root });
  return new PieceWriter(placeDirectory(place), (index, bytes) => seal(pieceName(place, index), bytes));
}

/** Of a task; reads nothing when what was kept has expired. */
export function openBefore(place: KeptPlace, pieces: StoredPieces, unseal: Unseal): PieceReader {
  return openPieces(placeDirectory(place), pieces, (index, bytes) => unseal(pieceName(place, index), bytes));
}

/** Removes the directories of tasks and their checkpoints that have expired, and nothing else. @returns how many */
export async function expireKept(root: string, nowMs: number): Promise<number> {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  let removed = 0;
  for (const name of namesIn(root)) {
    const match = /^(?<task>t-[0-9a-f-]+)\.(?<until>\d{4}-\d\d-\d\d)(?:\.\d+)?$/u.exec(name)?.groups;
    if (match === undefined || !taskIdSchema.safeParse(match["task"]).success || (match["until"] ?? "") >= today) continue;
    await removeTree(path.join(root, name), { parent: root });
    removed += 1;
  }
  return removed;
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}
