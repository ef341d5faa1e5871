// Questions whose broker died before an answer: recorded as expired by whoever starts next, so that none looks open for ever. INVARIANT I-09, I-12
import path from "node:path";
import { type AbandonedClaim, abandonedClaims } from "../approvals/approvals.ts";
import type { Durability, StoredRecord } from "../contracts/ledger.ts";
import type { NewRecord } from "../contracts/ledger-record.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { ApprovalId, TaskId } from "../contracts/ids.ts";
import type { TryLock } from "./reaper.ts";
import type { StateLayout } from "./state-layout.ts";

export interface ExpireParts {
  readonly layout: Pick<StateLayout, "approvals" | "state">;
  readonly ledger: { append(record: NewRecord<"approval.answered">, durability: Durability): Promise<unknown> };
  /** @throws TASK_UNKNOWN */
  readonly recordsOf: (task: TaskId) => readonly Pick<StoredRecord, "type" | "body">[];
}

/** What the ledger says of one approval, by type. */
function typesOf(parts: ExpireParts, task: TaskId, approval: ApprovalId): readonly string[] {
  try {
    return parts.recordsOf(task).flatMap(({ type, body }) => (body["approval"] === approval ? [type] : []));
  } catch (error) {
    if (error instanceof GloveboxError && error.code === "TASK_UNKNOWN") return []; // erased, or nothing was asked
    throw error;
  }
}

async function expireOne(parts: ExpireParts, { approval, about, forget }: AbandonedClaim): Promise<void> {
  const types = about === undefined ? [] : typesOf(parts, about.task, approval);
  if (about !== undefined && types.includes("approval.asked") && !types.includes("approval.answered"))
    await parts.ledger.append({ type: "approval.answered", ...about, body: { approval, answer: "expired" } }, "synced");
  // After the record: a crash here repeats the look, and finds it answered.
  await forget();
}

/** Safe beside live brokers: only questions of dead ones are touched. */
export async function expireQuestions(parts: ExpireParts, tryLock: TryLock): Promise<void> {
  const { approvals, state } = parts.layout;
  if ((await abandonedClaims(approvals)).length === 0) return;
  const lock = await tryLock(path.join(state, "reaper.lock"));
  if (lock === undefined) return;
  try {
    for (const claim of await abandonedClaims(approvals)) await expireOne(parts, claim);
  } finally {
    lock.release();
  }
}
