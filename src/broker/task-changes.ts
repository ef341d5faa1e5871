// The record of what a task changed: at its close, or when the reaper finds that it never came to that.
import { gatherChanges } from "../changes/changes.ts";
import type { ChangeSummary } from "../contracts/changes.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import type { SandboxId, TaskId } from "../contracts/ids.ts";
import type { Ledger } from "../contracts/ledger.ts";
import type { NewRecord } from "../contracts/ledger-record.ts";
import type { StateLayout } from "./state-layout.ts";

export interface ChangesRequest {
  readonly layout: StateLayout;
  readonly ledger: Ledger;
  readonly task: TaskId;
  readonly sandbox: SandboxId | undefined;
  readonly privateDirectory: string;
  readonly nowMs: number;
  readonly retentionDays: number;
}

export interface TaskChanges {
  readonly summary: ChangeSummary;
  readonly body: NewRecord<"execution.changes">["body"];
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Looks at the write roots after the sandbox has ended; undefined when nothing changed.
 * @throws LEDGER_UNWRITABLE when what lay there before cannot be kept
 */
export async function taskChanges(request: ChangesRequest): Promise<TaskChanges | undefined> {
  const { layout, ledger, task, sandbox, privateDirectory, nowMs, retentionDays } = request;
  try {
    const seal = await ledger.openSealer(task);
    const found = await gatherChanges({
      task,
      privateDirectory,
      beforeDirectory: layout.before,
      quarantineDirectory: layout.quarantine,
      seal,
      nowMs,
      retentionDays,
    });
    if (found === undefined) return undefined;
    const { summary, keptBytes, list, detail } = found;
    const commitment = await ledger.commit(task, list);
    const body = { counts: summary.counts, keptBytes, keptUntil: summary.keptUntil, list: commitment };
    return { summary, body: sandbox === undefined ? body : { ...body, sandbox }, detail };
  } catch (error) {
    if (error instanceof GloveboxError) throw error;
    const errno = systemErrorCode(error) ?? "unknown";
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory: layout.before, errno }, cause: error });
  }
}
