// One admitted command in an open task: started, watched to its end, and that recorded. Its result is the caller's to record and to hand out.
import { canHandBack, type Command } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { Action } from "./admit.ts";
import type { OpenTask } from "./open-task.ts";
import { pausedError } from "./pauses.ts";
import type { Permit } from "./permit.ts";
import type { Watched } from "./run-result.ts";
import { supervise } from "./supervise.ts";
import { type HandedBack, recordArtifacts } from "./task-artifacts.ts";

function commandOf(action: Action, { sandbox }: OpenTask, permit: Permit | undefined): Command {
  const { request, io, environment, outside, bringsEnvironment, identity } = action;
  return {
    argv: permit?.argv ?? request.argv,
    cwd: outside?.cwd ?? request.cwd,
    ...(bringsEnvironment === true ? { environment } : {}),
    ...(canHandBack(sandbox) ? { output: identity.action } : {}),
    // The end of a terminal's input is a byte, which only who reads can take.
    ...(request.pty === undefined ? { hasInput: io.stdin !== undefined } : { pty: request.pty }),
  };
}

/** Starts it, and watches it to its end. */
export async function performCommand(action: Action, task: OpenTask, permit: Permit | undefined): Promise<Watched> {
  const { parts, policy, io, identity, onLaterOutput, wallMs = policy.limits.wallMs } = action;
  const openCommitment = await parts.ledger.openCommitments(identity.task);
  const streams = { stdout: openCommitment(), stderr: openCommitment() };
  await permit?.redeem();
  // Somebody may have paused it while a person was asked.
  if (task.pauses.isPaused) throw pausedError(identity.sandbox);
  const { sandbox } = task;
  const startedAtMs = parts.clock.wallMs();
  const execution = await sandbox.exec({ ...commandOf(action, task, permit), onRefused: task.denials.add });
  parts.step("started");
  io.onStart({ signal: (name) => execution.signal(name), resize: (size) => execution.resize(size) });
  const limit = task.awaitLimit();
  try {
    const report = await supervise({
      execution,
      limits: { ...policy.limits, wallMs },
      exhausted: limit.exhausted,
      ...(onLaterOutput === undefined ? {} : { onLaterOutput }),
      look: async () => sandbox.usage(),
      io,
      monotonicNs: () => parts.clock.monotonicNs(),
      pauses: task.pauses,
      observe: (chunk) => streams[chunk.channel].update(chunk.bytes),
    });
    parts.step("ended");
    return { report, execution, startedAtMs, commitments: { stdout: streams.stdout.digest(), stderr: streams.stderr.digest() } };
  } finally {
    limit.release();
  }
}

/** The record of a command that broke off in an open task: nothing ran when its permit did not hold. */
export async function recordBreak({ record }: Action, error: unknown): Promise<void> {
  const isRefused = error instanceof GloveboxError && (error.code === "APPROVAL_CHANGED" || error.code === "APPROVAL_EXPIRED");
  if (isRefused) await record.refused(error.code);
  await record.resultWithoutRun(isRefused ? "refused" : "lost");
}

/** What the mediator refused is known when the last process of the command has ended; what was left running is waited for at the task's end. */
async function recordRefusedCalls({ record }: Action, task: OpenTask, { report, execution }: Watched): Promise<void> {
  if (!report.isLeftRunning) return record.refusedCalls(report.refusedCalls);
  const recorded = execution.gone.then(() => record.refusedCalls(execution.refusedCalls));
  task.leftRunning.add(recorded);
  const settle = (): void => void task.leftRunning.delete(recorded);
  void recorded.then(settle, settle);
  return undefined;
}

/** How it ended, what was refused to it, what it handed back and left behind. */
export async function recordCommandEnd(action: Action, task: OpenTask, watched: Watched): Promise<HandedBack> {
  const { parts, record, outside } = action;
  await record.ended(watched.report, outside !== undefined);
  await recordRefusedCalls(action, task, watched);
  parts.step("end recorded");
  return recordArtifacts(action, task, watched);
}
