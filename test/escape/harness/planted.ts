// What the product itself would put into quarantine after a sandbox: names that got past the mediator. The verdict is passed before, since it moves them.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { gatherChanges } from "../../../src/changes/changes.ts";
import { taskIdSchema } from "../../../src/contracts/ids.ts";
import type { Ground } from "./ground.ts";

export interface Gathered {
  /** Names in the write roots that the mediator had to do with and that are another now. */
  readonly changes: number;
  readonly quarantined: readonly string[];
}

export async function gatherPlanted(ground: Ground): Promise<Gathered> {
  const [beforeDirectory, quarantineDirectory] = [path.join(ground.root, "before"), path.join(ground.root, "quarantine")];
  for (const directory of [beforeDirectory, quarantineDirectory]) await mkdir(directory, { mode: 0o700 });
  const found = await gatherChanges({
    task: taskIdSchema.parse("t-000000000000-000000000001"),
    privateDirectory: ground.private,
    beforeDirectory,
    quarantineDirectory,
    seal: (_, bytes) => bytes,
    nowMs: Date.now(),
    retentionDays: 1,
  });
  if (found === undefined) return { changes: 0, quarantined: [] };
  const { counts, quarantined } = found.summary;
  return { changes: counts.created + counts.changed + counts.replaced + counts.deleted + counts.mode, quarantined };
}
