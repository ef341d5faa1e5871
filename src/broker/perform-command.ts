// One admitted command in an open task: started, watched to its end, and that recorded. Its result is the caller's to record and to hand out.
import type { Command } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { Action } from "./admit.ts";
import type { OpenTask } from "./open-task.ts";
import type { Permit } from "./permit.ts";
import type { Watched } from "./run-result.ts";
import { supervise } from "./supervise.ts";

function commandOf({ request, environment, outside, bringsEnvironment }: Action, permit: Permit | undefined): Command {
  return {
    argv: permit?.argv ?? request.argv,
    cwd: outside?.cwd ?? request.cwd,
    ...(bringsEnvironment === true ? { environment } : {}),
    ...(request.pty === undefined ? {} : { pty: request.pty }),
  };
}

/** Starts it, and watches it to its end. */
export async function performCommand(action: Action, task: OpenTask, permit: Permit | undefined): Promise<Watched> {
  const { parts, policy, io, identity, onLaterOutput } = action;
  const streams = { stdout: await parts.ledger.openCommitment(identity.task), stderr: await parts.ledger.openCommitment(identity.task) };
  await permit?.redeem();
  const { sandbox } = task;
  const execution = await sandbox.exec({ ...commandOf(action, permit), onRefused: task.denials.add });
  parts.step("started");
  io.onStart({ signal: (name) => execution.signal(name), resize: (size) => execution.resize(size) });
  const limit = task.awaitLimit();
  try {
    const report = await supervise({
      execution,
      limits: policy.limits,
      exhausted: limit.exhausted,
      ...(onLaterOutput === undefined ? {} : { onLaterOutput }),
      look: async () => sandbox.usage(),
      io,
      monotonicNs: () => parts.clock.monotonicNs(),
      observe: (chunk) => streams[chunk.channel].update(chunk.bytes),
    });
    parts.step("ended");
    return { report, execution, commitments: { stdout: streams.stdout.digest(), stderr: streams.stderr.digest() } };
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

/** How it ended, and what was refused to it. */
export async function recordCommandEnd(action: Action, task: OpenTask, watched: Watched): Promise<void> {
  const { parts, record, outside } = action;
  await record.ended(watched.report, outside !== undefined);
  await recordRefusedCalls(action, task, watched);
  parts.step("end recorded");
}
