// One task from its journal to its last record: its sandbox (or the place outside that a permit names), and what is said when that ends. Commands
// in it are actions of their own (perform-command.ts). INVARIANT I-09
import type { AskPerson } from "../contracts/approval.ts";
import type { Sandbox } from "../contracts/boundary.ts";
import type { ChangeSummary } from "../contracts/changes.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import type { GivenInput } from "../contracts/inputs.ts";
import type { LimitHit } from "../contracts/limits.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { removeTree } from "../kit/remove-tree.ts";
import type { ActionIdentity, ActionRecord } from "./action-record.ts";
import type { BrokerParts } from "./broker-parts.ts";
import { trimCache } from "./caches/cache-store.ts";
import { DenialCount } from "./denial-count.ts";
import type { EndReason } from "./end-reason.ts";
import { takeInputs } from "./inputs/task-inputs.ts";
import { openSandbox, refuseOpening } from "./open-sandbox.ts";
import type { OutsidePlan } from "./outside.ts";
import { Pauses } from "./pauses.ts";
import type { Permit } from "./permit.ts";
import { supervisedWalls } from "./run-result.ts";
import { openTaskEgress, type TaskEgress, type TaskEgressParts, type TaskTraffic } from "./task-egress.ts";
import { openTaskJournal, type TaskJournal } from "./task-journal.ts";
import { taskChanges } from "./task-changes.ts";

/** What a task is opened from. Its action is the one that opens it. */
export interface TaskPlan {
  readonly parts: BrokerParts;
  readonly policy: CompiledPolicy;
  readonly identity: ActionIdentity;
  readonly record: ActionRecord;
  readonly projectDirectory: string;
  /** Of commands that bring none of their own. */
  readonly environment: Readonly<Record<string, string>>;
  /** Gives the opening up. */
  readonly signal: AbortSignal;
  /** Who is asked about its connections; undefined: nobody can be. */
  readonly ask: AskPerson | undefined;
  /** Aborted when nobody waits for the answers any more. */
  readonly caller: AbortSignal;
  /** Undefined for a task that stays in a sandbox. */
  readonly outside: OutsidePlan | undefined;
  /** What of the host it gets copies of. Absolute. */
  readonly inputs: readonly string[];
}

export interface OpenTask extends TaskPlan {
  readonly journal: TaskJournal;
  readonly sandbox: Sandbox;
  /** What it was given to read. */
  readonly given: readonly GivenInput[];
  /** Undefined where nothing may leave. */
  readonly egress: TaskEgress | undefined;
  /** What was refused to all of its commands. */
  readonly denials: DenialCount;
  /** Resolves a command's own promise for the limit that its sandbox used up; `release` lets go of it. */
  awaitLimit(): { readonly exhausted: Promise<LimitHit>; release(): void };
  /** What commands left running, until its refusals are recorded. */
  readonly leftRunning: Set<Promise<void>>;
  /** False while the sandbox may hold something on the host. */
  readonly life: { isNothingLeft: boolean };
  /** Only of a sandbox that outlives its commands. */
  readonly pauses: Pauses;
}

export interface TaskEnd {
  readonly changes: ChangeSummary | undefined;
  /** Undefined when there was none. */
  readonly traffic: TaskTraffic | undefined;
}

async function openJournal({ parts, identity }: TaskPlan): Promise<TaskJournal> {
  const { tasks } = parts.layout;
  try {
    return await openTaskJournal(tasks, identity.task, identity.sandbox, parts.owner);
  } catch (error) {
    const errno = systemErrorCode(error) ?? "unknown";
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory: tasks, errno }, cause: error });
  }
}

/** A sandbox tells of its limit once, and its commands come and go: none may be held by that one promise. */
function limitHub(exhausted: Promise<LimitHit>): OpenTask["awaitLimit"] {
  const waiting = new Set<(hit: LimitHit) => void>();
  let known: LimitHit | undefined;
  void exhausted.then((hit) => {
    known = hit;
    for (const resolve of waiting) resolve(hit);
  });
  return () => {
    const { promise, resolve } = Promise.withResolvers<LimitHit>();
    if (known === undefined) waiting.add(resolve);
    else resolve(known);
    return { exhausted: promise, release: () => void waiting.delete(resolve) };
  };
}

async function recordOpening({ parts, policy, record, outside, sandbox }: OpenTask, permit: Permit | undefined): Promise<void> {
  parts.step("opened");
  const walls = supervisedWalls(sandbox.walls, policy);
  if (outside === undefined) await record.opened(walls, policy.limits);
  else if (permit !== undefined) await record.unsandboxed(walls, { limits: policy.limits, approval: permit.approval, kind: outside.kind });
  parts.step("opening recorded");
}

function egressParts({ parts, policy, identity, record, ask, caller }: TaskPlan, denials: DenialCount): TaskEgressParts {
  const { gate, network, ids, clock, owner, layout } = parts;
  const { task, action, sandbox } = identity;
  const about = { task, action };
  const places = { gate, network, owner, pendingDirectory: layout.approvals };
  return { ...places, policy, about, sandbox, record, denials, ids, clock, ask, caller };
}

/**
 * On rejection nothing is left, and the record says why.
 * @param permit of a task outside: a person's
 */
export async function openTask(plan: TaskPlan, permit?: Permit): Promise<OpenTask> {
  const { parts, policy, record } = plan;
  const denials = new DenialCount(policy.limits.denials);
  const egress = plan.outside === undefined ? openTaskEgress(egressParts(plan, denials)) : undefined;
  const journal = await openJournal(plan);
  parts.step("journal opened");
  const life = { isNothingLeft: true };
  try {
    const inputs = await takeInputs(plan, journal).catch((cause: unknown) => refuseOpening(plan, egress, cause));
    const sandbox = await openSandbox(plan, journal, { egress, inputs });
    life.isNothingLeft = false;
    const awaitLimit = limitHub(Promise.race([sandbox.exhausted, denials.reached]));
    const given = inputs?.list ?? [];
    const pauses = new Pauses(() => parts.clock.monotonicNs());
    const task: OpenTask = { ...plan, journal, sandbox, given, egress, denials, awaitLimit, leftRunning: new Set(), life, pauses };
    try {
      await recordOpening(task, permit);
    } catch (error) {
      await endTask(task);
      await recordTaskEnd(task);
      await record.resultWithoutRun("lost");
      throw error;
    }
    return task;
  } catch (error) {
    await leaveTask({ parts, journal, life });
    throw error;
  }
}

/** Ends everything that runs. Afterwards the host holds nothing of the sandbox. */
export async function endTask({ parts, sandbox, life }: OpenTask, how?: "atOnce"): Promise<void> {
  await sandbox.close(how);
  life.isNothingLeft = true;
  parts.step("closed");
}

async function recordChanges({ parts, identity, policy, record, journal }: OpenTask): Promise<ChangeSummary | undefined> {
  const { layout, ledger, clock } = parts;
  const { retentionDays } = policy;
  const { task, sandbox } = identity;
  const { privateDirectory } = journal;
  const found = await taskChanges({ layout, ledger, task, sandbox, privateDirectory, nowMs: clock.wallMs(), retentionDays });
  await record.changes(found);
  parts.step("changes recorded");
  return found?.summary;
}

/** After the close: nothing more can come of it. Undefined when there was nothing. */
async function recordTraffic({ egress, record }: OpenTask): Promise<TaskTraffic | undefined> {
  const traffic = await egress?.traffic;
  if (traffic === undefined || (traffic !== "lost" && traffic.totalConnections + traffic.totalRefusals === 0)) return undefined;
  await record.traffic(traffic);
  return traffic;
}

/** What the whole task did. @param reason of a sandbox that outlives its commands. A sandbox that would not end is not told to be closed. */
export async function recordTaskEnd(task: OpenTask, reason?: EndReason): Promise<TaskEnd> {
  await Promise.all(task.leftRunning);
  await task.record.lateMasks(task.sandbox.lateMasks);
  const traffic = await recordTraffic(task);
  if (!task.life.isNothingLeft) return { changes: undefined, traffic };
  const changes = await recordChanges(task);
  await task.record.closed(reason);
  return { changes, traffic };
}

/** The task's directory goes, and its record is signed. */
export async function leaveTask({ parts, journal, life }: Pick<OpenTask, "parts" | "journal" | "life">): Promise<void> {
  await journal.close();
  // A sandbox that would not close keeps its journal, so that the next start finds what is left of it.
  if (life.isNothingLeft) await removeTree(journal.directory, { parent: parts.layout.tasks });
  parts.step("task directory removed");
  if (life.isNothingLeft && journal.cache !== undefined)
    await trimCache({ layout: parts.layout, nowMs: () => parts.clock.wallMs() }, journal.cache);
  await parts.ledger.seal();
  parts.step("sealed");
}
