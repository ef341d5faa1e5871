// The broker: the one way in. It decides, records, opens the sandbox, watches the command, records again and leaves nothing behind.
import type { Sandbox } from "../contracts/boundary.ts";
import type { ChangeSummary } from "../contracts/changes.ts";
import type { RunIo, RunRequest, RunResult } from "../contracts/door.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { makeActionId, makeSandboxId, makeTaskId } from "../contracts/ids.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { removeTree } from "../kit/remove-tree.ts";
import { ActionRecord } from "./action-record.ts";
import { type Action, admit, type BrokerParts } from "./admit.ts";
import { DenialCount } from "./denial-count.ts";
import { buildEnvironment } from "./environment.ts";
import { openSandbox } from "./open-sandbox.ts";
import { outcomeOf } from "./outcome.ts";
import { planOutside } from "./outside.ts";
import type { Permit } from "./permit.ts";
import { refuseUnrecordable } from "./refuse-unrecordable.ts";
import { resultOf, supervisedWalls, type Watched } from "./run-result.ts";
import { supervise } from "./supervise.ts";
import { openTaskEgress, type TaskTraffic } from "./task-egress.ts";
import { openTaskJournal, type TaskJournal } from "./task-journal.ts";
import { taskChanges } from "./task-changes.ts";

export type { BrokerParts } from "./admit.ts";
export { readNetworkSettings } from "./network-settings.ts";
export { opensConnections } from "./task-egress.ts";
export { type PolicyPlaces, findProjectPolicy, gatherPolicySources, readNamedPolicy, refuseWritablePolicy } from "./policy-files.ts";
export { learnPreset } from "./presets/learn-preset.ts";
export { presetMachine } from "./presets/preset-machine.ts";
export { reapOutside } from "./outside.ts";
export { type ReapSandbox, reapAbandonedTasks } from "./reaper.ts";
export { type StateLayout, prepareState, stateLayout } from "./state-layout.ts";
export { noSteps, type Step } from "./step.ts";
export { isTrusted, pinTrust } from "./trust.ts";
export { undoTask } from "./undo-task.ts";
export { taskSheetFromRecords } from "./task-sheet.ts";

async function executeCommand(
  { parts, policy, request, io, identity, outside, denials }: Action,
  sandbox: Sandbox,
  permit: Permit | undefined,
): Promise<Watched> {
  const streams = { stdout: await parts.ledger.openCommitment(identity.task), stderr: await parts.ledger.openCommitment(identity.task) };
  await permit?.redeem();
  const execution = await sandbox.exec({
    argv: permit?.argv ?? request.argv,
    cwd: outside?.cwd ?? request.cwd,
    ...(request.pty === undefined ? {} : { pty: request.pty }),
    onRefused: denials.add,
  });
  parts.step("started");
  io.onStart({ signal: (name) => execution.signal(name), resize: (size) => execution.resize(size) });
  const report = await supervise({
    execution,
    limits: policy.limits,
    exhausted: Promise.race([sandbox.exhausted, denials.reached]),
    look: async () => (await sandbox.stats()).usage,
    io,
    monotonicNs: () => parts.clock.monotonicNs(),
    observe: (chunk) => streams[chunk.channel].update(chunk.bytes),
  });
  parts.step("ended");
  return { report, commitments: { stdout: streams.stdout.digest(), stderr: streams.stderr.digest() } };
}

/** The record of an action that broke off after its sandbox was open: nothing ran when its permit did not hold. */
async function recordBreak(action: Action, journal: TaskJournal, error: unknown): Promise<void> {
  const { record, life } = action;
  const isRefused = error instanceof GloveboxError && (error.code === "APPROVAL_CHANGED" || error.code === "APPROVAL_EXPIRED");
  if (isRefused) await record.refused(error.code);
  if (life.isNothingLeft) {
    await recordChanges(action, journal);
    await record.closed();
  }
  await record.resultWithoutRun(isRefused ? "refused" : "lost");
}

async function recordChanges({ parts, identity, policy, record }: Action, journal: TaskJournal): Promise<ChangeSummary | undefined> {
  const { layout, ledger, clock } = parts;
  const { retentionDays } = policy;
  const { task, sandbox } = identity;
  const found = await taskChanges({
    layout,
    ledger,
    task,
    sandbox,
    privateDirectory: journal.privateDirectory,
    nowMs: clock.wallMs(),
    retentionDays,
  });
  await record.changes(found);
  parts.step("changes recorded");
  return found?.summary;
}

/** After the close: nothing more can come of it. Undefined when there was nothing. */
async function recordTraffic({ egress, record }: Action): Promise<TaskTraffic | undefined> {
  const traffic = await egress?.traffic;
  if (traffic === undefined || (traffic !== "lost" && traffic.totalConnections + traffic.totalRefusals === 0)) return undefined;
  await record.traffic(traffic);
  return traffic;
}

async function executeAndClose(action: Action, sandbox: Sandbox, permit: Permit | undefined): Promise<Watched> {
  const { parts, policy, record, outside } = action;
  action.life.isNothingLeft = false;
  try {
    parts.step("opened");
    const walls = supervisedWalls(sandbox.walls, policy);
    if (outside === undefined) await record.opened(walls, policy.limits);
    else if (permit !== undefined)
      await record.unsandboxed(walls, { limits: policy.limits, approval: permit.approval, kind: outside.kind });
    parts.step("opening recorded");
    const watched = await executeCommand(action, sandbox, permit);
    await record.ended(watched.report, outside !== undefined);
    await record.refusedCalls(watched.report.refusedCalls);
    parts.step("end recorded");
    return watched;
  } finally {
    await sandbox.close();
    action.life.isNothingLeft = true;
    parts.step("closed");
  }
}

async function runInSandbox(action: Action, journal: TaskJournal, permit: Permit | undefined): Promise<RunResult> {
  const { policy, record } = action;
  const sandbox = await openSandbox(action, journal);
  const watched = await executeAndClose(action, sandbox, permit).catch(async (error: unknown) => {
    await record.lateMasks(sandbox.lateMasks);
    await recordTraffic(action);
    await recordBreak(action, journal, error);
    throw error;
  });
  await record.lateMasks(sandbox.lateMasks);
  const traffic = await recordTraffic(action);
  const changes = await recordChanges(action, journal);
  await record.closed();
  const { report } = watched;
  const returned = Math.min(report.stdout.bytes + report.stderr.bytes, policy.limits.outputBytes);
  await record.result(outcomeOf(report), report, watched.commitments, returned);
  action.parts.step("result recorded");
  return resultOf(action, sandbox, { ...watched, changes, traffic }, permit);
}

async function openJournal({ parts, identity }: Action): Promise<TaskJournal> {
  const { tasks } = parts.layout;
  try {
    return await openTaskJournal(tasks, identity.task, identity.sandbox, parts.owner);
  } catch (error) {
    const errno = systemErrorCode(error) ?? "unknown";
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory: tasks, errno }, cause: error });
  }
}

function withoutInput(io: RunIo): RunIo {
  const { signal, ask } = io;
  const asking = ask === undefined ? {} : { ask };
  return { signal, ...asking, onOutput: (chunk) => io.onOutput(chunk), onStart: (control) => io.onStart(control) };
}

/** Runs one command as a task of its own. The result is released only when its record is on the device. */
export async function runCommand(parts: BrokerParts, policy: CompiledPolicy, request: RunRequest, io: RunIo): Promise<RunResult> {
  refuseUnrecordable(request.argv);
  const identity = { task: makeTaskId(parts.ids), action: makeActionId(parts.ids), sandbox: makeSandboxId(parts.ids) };
  const record = new ActionRecord(parts.ledger, identity, policy);
  const outside = planOutside(policy, request, parts.user);
  const caller = request.callerEnvironment;
  const environment =
    outside?.environment ??
    buildEnvironment({ policy, caller, user: parts.user, cwd: request.cwd, hasTerminal: request.pty !== undefined });
  const given: RunIo = outside?.hasInput === false ? withoutInput(io) : io;
  const life = { isNothingLeft: true };
  const denials = new DenialCount(policy.limits.denials);
  const action: Action = { parts, policy, request, io: given, identity, record, environment, outside, life, denials, egress: undefined };
  const permit = await admit(action);
  if (outside === undefined) action.egress = openTaskEgress(parts.gate, policy, action);
  const journal = await openJournal(action);
  parts.step("journal opened");
  try {
    return await runInSandbox(action, journal, permit);
  } finally {
    await journal.close();
    // A sandbox that would not close keeps its journal, so that the next start finds what is left of it.
    if (action.life.isNothingLeft) await removeTree(journal.directory, { parent: parts.layout.tasks });
    parts.step("task directory removed");
    await parts.ledger.seal();
    parts.step("sealed");
  }
}
