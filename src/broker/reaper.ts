// Finds what a crashed broker left behind and removes it: processes, control groups, sockets and directories named by a task journal whose owner is gone.
import path from "node:path";
import { keptDaysMax } from "../changes/changes.ts";
import type { KernelObject } from "../contracts/boundary.ts";
import type { SandboxId, TaskId } from "../contracts/ids.ts";
import type { Ledger } from "../contracts/ledger.ts";
import { processStartTime } from "../kit/process-identity.ts";
import { removeTree } from "../kit/remove-tree.ts";
import { trimCache } from "./caches/cache-store.ts";
import { type JournalView, readTaskJournals } from "./task-journal.ts";
import type { StateLayout } from "./state-layout.ts";
import { taskChanges } from "./task-changes.ts";

/** Ends what is left of one sandbox on the host, whatever boundary made it; returns how many processes it ended and control groups it removed. */
export type ReapSandbox = (
  sandbox: SandboxId,
  objects: readonly KernelObject[],
) => Promise<{ readonly processes: number; readonly cgroups: number }>;

export interface ReaperParts {
  readonly layout: StateLayout;
  readonly boot: string;
  readonly ledger: Ledger;
  readonly reapSandbox: ReapSandbox;
  readonly nowMs: () => number;
}

async function isOwnerAlive(journal: JournalView, boot: string): Promise<boolean> {
  const { owner } = journal;
  if (owner === undefined || (owner.boot !== undefined && owner.boot !== boot)) return false;
  return (await processStartTime(owner.pid)) === owner.startTime;
}

/** Only what lies inside our own directories is ever removed, whatever a journal says. */
function containerOf(layout: StateLayout, name: string): string | undefined {
  if (path.normalize(name) !== name) return undefined;
  return [layout.tasks, layout.runtime].find((parent) => name.startsWith(`${parent}${path.sep}`));
}

async function removeObjects(layout: StateLayout, journal: JournalView, kind: KernelObject["kind"]): Promise<number> {
  let removed = 0;
  for (const object of journal.objects) {
    const parent = containerOf(layout, object.name);
    if (object.kind !== kind || parent === undefined) continue;
    await removeTree(object.name, { parent });
    removed += 1;
  }
  return removed;
}

/** The list of changes that its broker did not come to make. */
async function recordChanges({ layout, ledger, nowMs }: ReaperParts, { task, owner, directory }: JournalView): Promise<void> {
  const found = await taskChanges({
    layout,
    ledger,
    task,
    sandbox: owner?.sandbox,
    privateDirectory: path.join(directory, "private"),
    nowMs: nowMs(),
    retentionDays: keptDaysMax,
  });
  if (found !== undefined) await ledger.append({ type: "execution.changes", task, body: found.body, detail: found.detail }, "kernel");
}

async function reapTask(parts: ReaperParts, journal: JournalView): Promise<void> {
  const { layout } = parts;
  const sandbox = journal.owner?.sandbox;
  const { processes, cgroups } = sandbox === undefined ? { processes: 0, cgroups: 0 } : await parts.reapSandbox(sandbox, journal.objects);
  await recordChanges(parts, journal);
  const sockets = await removeObjects(layout, journal, "socket");
  const directories = await removeObjects(layout, journal, "directory");
  // Recorded before the journal goes: a crash here repeats the work, it never hides it.
  await parts.ledger.append(
    { type: "execution.reaped", task: journal.task, body: { processes, directories, sockets, cgroups, mounts: 0 } },
    "kernel",
  );
  await removeTree(journal.directory, { parent: layout.tasks });
  if (journal.cache !== undefined) await trimCache(parts, journal.cache);
}

/** Takes the right to reap, or does nothing when another process is reaping. */
export type TryLock = (file: string) => Promise<{ release(): void } | undefined>;

/** Tasks whose owner is gone and that nobody has reaped yet. */
export async function abandonedTasks(parts: Pick<ReaperParts, "layout" | "boot">): Promise<readonly JournalView[]> {
  const journals = await readTaskJournals(parts.layout.tasks);
  const alive = await Promise.all(journals.map((journal) => isOwnerAlive(journal, parts.boot)));
  return journals.filter((_, index) => alive[index] === false);
}

/** Reaps every task whose owner is gone. Returns their ids. Safe beside live brokers. */
export async function reapAbandonedTasks(parts: ReaperParts, tryLock: TryLock): Promise<readonly TaskId[]> {
  if ((await abandonedTasks(parts)).length === 0) return [];
  const lock = await tryLock(path.join(parts.layout.state, "reaper.lock"));
  if (lock === undefined) return [];
  try {
    // Read again: another reaper may have finished between the first look and the lock.
    const abandoned = await abandonedTasks(parts);
    for (const journal of abandoned) await reapTask(parts, journal);
    return abandoned.map((journal) => journal.task);
  } finally {
    lock.release();
  }
}
