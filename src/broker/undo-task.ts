// Undoing a task is an act of its own: recorded before the first file is touched, and again when it is over. INVARIANT I-11
import { type LoadedChanges, undoChanges, type UndoWanted } from "../changes/changes.ts";
import type { UndoReport } from "../contracts/changes.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { Ledger, StoredRecord } from "../contracts/ledger.ts";
import { recordBodySchemas } from "../contracts/ledger-record.ts";
import { wellFormedByteText } from "../kit/byte-text.ts";
import { canonicalJson } from "../kit/canonical-json.ts";

/** What a task changed is known when its sandbox is gone. @throws USAGE_INVALID while it is open */
export function requireEnded(task: string, records: readonly StoredRecord[]): void {
  const opened = records.find(({ type }) => type === "execution.opened");
  if (opened === undefined || records.some(({ type }) => type === "execution.closed" || type === "execution.reaped")) return;
  const { sandbox } = recordBodySchemas["execution.opened"]().parse(opened.body);
  throw new GloveboxError("USAGE_INVALID", "changes.task-open", { values: { task, sandbox } });
}

/** Enough to see what it was about. */
const recordedPathsMax = 1000;

type Paths = Pick<UndoReport, "restored" | "unchanged" | "refused">;

async function record(ledger: Ledger, loaded: LoadedChanges, found: Paths, outcome: "begun" | "done" | "failed"): Promise<void> {
  const { task } = loaded;
  const restored = found.restored.slice(0, recordedPathsMax).map(wellFormedByteText);
  const refused = found.refused.slice(0, recordedPathsMax).map(({ path, why }) => ({ path: wellFormedByteText(path), why }));
  const detail = { restored, refused };
  const body = {
    restored: found.restored.length,
    unchanged: found.unchanged.length,
    refused: found.refused.length,
    outcome,
    paths: await ledger.commit(task, canonicalJson(detail)),
  };
  await ledger.append({ type: "changes.undone", task, body, detail }, outcome === "begun" ? "synced" : "kernel");
}

/** @throws what `undoChanges` throws; a failure after the beginning is recorded */
export async function undoTask(ledger: Ledger, loaded: LoadedChanges, wanted: UndoWanted): Promise<UndoReport> {
  let begun: Paths | undefined;
  try {
    const report = await undoChanges(loaded, wanted, async (plan) => {
      const planned = { restored: plan.steps.map(({ change }) => change.path), unchanged: plan.unchanged, refused: plan.refused };
      await record(ledger, loaded, planned, "begun");
      begun = planned;
    });
    await record(ledger, loaded, report, "done");
    return report;
  } catch (error) {
    if (begun !== undefined) await record(ledger, loaded, begun, "failed");
    throw error;
  } finally {
    if (begun !== undefined) await ledger.seal();
  }
}
