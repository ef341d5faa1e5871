// A checkpoint of a task: what its files are now is kept, and recorded before anybody is told of it.
import { gatherCheckpoint } from "../changes/changes.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import type { SandboxCheckpoint } from "../contracts/sandbox-door.ts";
import type { OpenTask } from "./open-task.ts";

/** Each keeps up to 256 MiB. */
export const checkpointsMax = 32;

/** @param checkpoint its number @throws LEDGER_UNWRITABLE when it cannot be kept or recorded: then there is none */
export async function checkpointTask(open: OpenTask, checkpoint: number): Promise<SandboxCheckpoint> {
  const { parts, identity, policy, record, journal } = open;
  const { layout, ledger, clock } = parts;
  const { task } = identity;
  try {
    const found = await gatherCheckpoint({
      task,
      checkpoint,
      privateDirectory: journal.privateDirectory,
      beforeDirectory: layout.before,
      seal: await ledger.openSealer(task),
      nowMs: clock.wallMs(),
      retentionDays: policy.retentionDays,
    });
    await record.checkpoint(checkpoint, found);
    const { changes, missed, keptBytes, keptUntil } = found;
    return { task, checkpoint, changes, missed, keptBytes, keptUntil };
  } catch (error) {
    if (error instanceof GloveboxError) throw error;
    const errno = systemErrorCode(error) ?? "unknown";
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory: layout.before, errno }, cause: error });
  }
}
