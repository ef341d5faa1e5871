// The broker: the one way in. It decides, records, opens the sandbox, watches the command, records again and leaves nothing behind.
import type { RunIo, RunRequest, RunResult } from "../contracts/door.ts";
import { makeActionId, makeSandboxId, makeTaskId } from "../contracts/ids.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { ActionRecord } from "./action-record.ts";
import { type Action, admit } from "./admit.ts";
import type { BrokerParts } from "./broker-parts.ts";
import { buildEnvironment } from "./environment.ts";
import { endTask, leaveTask, type OpenTask, openTask, recordTaskEnd } from "./open-task.ts";
import { outcomeOf } from "./outcome.ts";
import { planOutside } from "./outside.ts";
import { performCommand, recordBreak, recordCommandEnd } from "./perform-command.ts";
import type { Permit } from "./permit.ts";
import { refuseUnrecordable } from "./refuse-unrecordable.ts";
import { resultOf, returnedBytes, type Watched } from "./run-result.ts";

export { ApprovalDesk, webhookAsker, webhookDefaults } from "../approvals/approvals.ts";
export { artifactDoor } from "./artifact-door.ts";
export { reapBuilds, templateDoor } from "./template-door.ts";
export type { BrokerParts } from "./broker-parts.ts";
export { readNetworkSettings } from "./network-settings.ts";
export { opensConnections } from "./task-egress.ts";
export {
  type PolicyPlaces,
  findProjectPolicy,
  gatherPolicySources,
  readNamedPolicy,
  readNamedSpec,
  refuseWritablePolicy,
} from "./policy-files.ts";
export { expireQuestions } from "./expire-questions.ts";
export { learnPreset } from "./presets/learn-preset.ts";
export { presetMachine } from "./presets/preset-machine.ts";
export { reapOutside } from "./outside.ts";
export { pruneTasks } from "./prune-tasks.ts";
export { type ReapSandbox, reapAbandonedTasks } from "./reaper.ts";
export { doorSocket, type StateLayout, prepareState, stateLayout } from "./state-layout.ts";
export { expireCaches, listCaches, removeCaches } from "./caches/cache-store.ts";
export { canKeepCaches } from "./caches/project-caches.ts";
export { holdBroker } from "./held-broker.ts";
export { equalSecrets, Sandboxes, type SandboxesNeeds } from "./sandboxes.ts";
export { noSteps, type Step } from "./step.ts";
export { findReplaced, forgetReplaced, keepReplaced } from "./replaced-settings.ts";
export { isTrusted, pinTrust } from "./trust.ts";
export { requireEnded, undoTask } from "./undo-task.ts";
export { taskSheetFromRecords } from "./task-sheet.ts";

async function performAndEnd(action: Action, task: OpenTask, permit: Permit | undefined): Promise<Watched> {
  try {
    const watched = await performCommand(action, task, permit);
    const { inSandbox: _gone, ...handedBack } = await recordCommandEnd(action, task, watched);
    return { ...watched, ...handedBack };
  } finally {
    await endTask(task);
  }
}

async function runInTask(action: Action, task: OpenTask, permit: Permit | undefined): Promise<RunResult> {
  const { policy, record } = action;
  const watched = await performAndEnd(action, task, permit).catch(async (error: unknown) => {
    await recordTaskEnd(task);
    await recordBreak(action, error);
    throw error;
  });
  const end = await recordTaskEnd(task);
  const { report } = watched;
  await record.result(outcomeOf(report), report, watched.commitments, { returnedBytes: returnedBytes(report, policy) });
  action.parts.step("result recorded");
  return resultOf(action, task, { ...watched, ...end }, permit);
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
  const action: Action = { parts, policy, request, io: given, identity, record, environment, outside };
  const permit = await admit(action);
  const { projectDirectory } = request.policy;
  const { signal, ask } = io;
  const inputs = request.inputs ?? [];
  const about = { parts, policy, identity, record, projectDirectory, environment, outside, inputs };
  const task = await openTask({ ...about, signal, ask, caller: signal }, permit);
  try {
    return await runInTask(action, task, permit);
  } finally {
    await leaveTask(task);
  }
}
