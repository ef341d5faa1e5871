// What the door gets of one action that ran: the outcome, its numbers and the answer sheet. It records nothing.
import type { ArtifactSummary, LeftBehind } from "../contracts/artifacts.ts";
import type { Execution, WallReport } from "../contracts/boundary.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { RunResult } from "../contracts/door.ts";
import type { StreamCommitments } from "./action-record.ts";
import type { Action } from "./admit.ts";
import { leftBehindView, taskAnswerSheet } from "./answer-sheet.ts";
import { connectTargets, connectionNotes, refusedConnections } from "./connection-lines.ts";
import { endNotes } from "./end-notes.ts";
import { childOf, exitCodeOf, outcomeOf } from "./outcome.ts";
import type { OpenTask, TaskEnd } from "./open-task.ts";
import type { Permit } from "./permit.ts";
import type { SupervisionReport } from "./supervise.ts";

/** The boundary's walls and the two limits that the broker itself watches. */
export function supervisedWalls(walls: WallReport, policy: CompiledPolicy): WallReport {
  const names = ["wall", "output", ...(Number.isFinite(policy.limits.denials) ? ["denials" as const] : [])] as const;
  const watched = names.map((limit) => ({ limit, mechanism: "broker", strength: "supervised" as const }));
  return { ...walls, connects: [...walls.connects, ...connectTargets(policy)], limits: [...walls.limits, ...watched] };
}

/** One command, from its start to its end. */
export interface Watched {
  readonly report: SupervisionReport;
  readonly execution: Pick<Execution, "gone" | "refusedCalls" | "killTree">;
  readonly commitments: StreamCommitments;
  /** Milliseconds since the epoch; right before. */
  readonly startedAtMs: number;
  /** Absent until it is known, and when nothing was handed back. */
  readonly artifacts?: ArtifactSummary;
  readonly leftBehind?: LeftBehind;
}

/** Bytes that the caller was given. */
export function returnedBytes({ stdout, stderr }: Watched["report"], { limits }: CompiledPolicy): number {
  return Math.min(stdout.bytes + stderr.bytes, limits.outputBytes);
}

function endingOf(
  report: SupervisionReport,
  { changes, artifacts, leftBehind }: Pick<Watched & TaskEnd, "changes" | "artifacts" | "leftBehind">,
) {
  return {
    outcome: outcomeOf(report),
    child: childOf(report.exit),
    limitHits: report.limitHits,
    stdoutBytes: report.stdout.bytes,
    stderrBytes: report.stderr.bytes,
    durationMs: report.durationMs,
    usage: report.usage,
    ...(changes === undefined ? {} : { changes }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(leftBehind === undefined ? {} : { leftBehind }),
  };
}

/** Of a command that was a task of its own. */
export function resultOf(action: Action, { sandbox, given }: OpenTask, watched: Watched & TaskEnd, permit: Permit | undefined): RunResult {
  const { identity, policy, request, record, parts } = action;
  const { report, traffic } = watched;
  const ending = endingOf(report, watched);
  const keptUntil = new Date(parts.clock.wallMs() + policy.retentionDays * 86_400_000).toISOString().slice(0, 10);
  const sheet = taskAnswerSheet({
    task: identity.task,
    policyHash: policy.hash,
    verdict: permit === undefined ? "allow" : "ask",
    approvals: permit === undefined ? [] : [{ id: permit.approval, answer: "granted" }],
    request: { argv: request.argv, cwd: request.cwd },
    walls: supervisedWalls(sandbox.walls, policy),
    inputs: given,
    presets: policy.presets,
    isUnsandboxed: action.outside !== undefined,
    refusal: undefined,
    ending,
    artifacts: watched.artifacts,
    leftBehind: leftBehindView(watched.leftBehind),
    refusedCalls: report.refusedCalls,
    lateMasks: sandbox.lateMasks,
    traffic,
    wasReaped: false,
    ...record.range,
    keptUntil,
  });
  const presetNotes = policy.presets.flatMap((preset) => preset.notes);
  return {
    task: identity.task,
    action: identity.action,
    policyHash: policy.hash,
    exitCode: exitCodeOf(report),
    ...ending,
    notes: [...endNotes({ task: identity.task, ...ending }, request, report.refusedCalls), ...connectionNotes(identity.task, traffic)],
    ...(presetNotes.length === 0 ? {} : { presetNotes }),
    ledger: record.range,
    refusedConnections: refusedConnections(traffic),
    sheet,
  };
}
