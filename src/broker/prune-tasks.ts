// Tasks whose broker is gone, on demand: told of, or removed by the reaper that every start calls. It removes nothing itself. INVARIANT I-09
import type { AbandonedTask } from "../contracts/door.ts";
import { isPresent } from "../kit/is-present.ts";
import { systemClock } from "../kit/system-clock.ts";
import { abandonedTasks } from "./reaper.ts";
import type { StateLayout } from "./state-layout.ts";

export interface PruneOptions {
  readonly isDry: boolean;
  /** Reaps. */
  readonly ready: () => Promise<unknown>;
}

async function abandoned(layout: StateLayout): Promise<readonly AbandonedTask[]> {
  if (!isPresent(layout.tasks)) return [];
  const journals = await abandonedTasks({ layout, boot: systemClock().bootId });
  return journals.map(({ task, owner }) => ({ task, ...(owner?.sandbox === undefined ? {} : { sandbox: owner.sandbox }) }));
}

/** @returns what is to go, or what went: another process may be at it too, and some of it may not have gone */
export async function pruneTasks(layout: StateLayout, { isDry, ready }: PruneOptions): Promise<readonly AbandonedTask[]> {
  const found = await abandoned(layout);
  if (isDry || found.length === 0) return found;
  await ready();
  const left = new Set((await abandoned(layout)).map(({ task }) => task));
  return found.filter(({ task }) => !left.has(task));
}
