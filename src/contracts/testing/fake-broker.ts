// A running broker for tests: one sandbox, whose commands answer at once.
import { sandboxIdSchema, taskIdSchema } from "../ids.ts";
import type { ApprovalDoor } from "../approval-door.ts";
import type { SharedBroker } from "../reached-broker.ts";
import type { SandboxCommandResult, SandboxDoor } from "../sandbox-door.ts";

export const fakeSandbox = sandboxIdSchema.parse("s-0193f0c2a1b2-4d5e6f708192");
const task = taskIdSchema.parse("t-0193f0c2a1b2-4d5e6f708192");
const token = "ab".repeat(32);
export const fakeAction = "a-0193f0c2a1b2-4d5e6f708192";
const ledger = { firstSeq: 12, lastSeq: 14 };

export function fakeCommandResult(changes: Partial<SandboxCommandResult> = {}): SandboxCommandResult {
  return {
    task,
    action: fakeAction,
    exitCode: 0,
    outcome: "ok",
    child: { kind: "exited", value: 0 },
    limitHits: [],
    notes: [],
    stdoutBytes: 0,
    stderrBytes: 0,
    durationMs: 5,
    ledger,
    isLeftRunning: false,
    ...changes,
  };
}

const noQuestions: ApprovalDoor = {
  ask: async () => ({ answer: "refused", by: "other-terminal" }),
  list: async () => ({ revision: 0, questions: [] }),
  show: () => Promise.reject(new Error("none is open")),
  answer: () => Promise.reject(new Error("none is open")),
};

function untilAborted(_: unknown, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** @param replaced methods with an own answer */
export function fakeBroker(replaced: Partial<SandboxDoor> = {}, approvals: ApprovalDoor = noQuestions): SharedBroker {
  const sandboxes: SandboxDoor = {
    open: async () => ({
      sandbox: fakeSandbox,
      task,
      token,
      policyHash: "sha256:0",
      idleMs: 1000,
      expiresAtMs: 86_400_000,
      presetNotes: [],
    }),
    exec: async () => fakeCommandResult(),
    attach: async () => fakeCommandResult(),
    logs: async () => [],
    connect: () => Promise.reject(new Error("nothing listens")),
    endCommand: async () => {},
    checkpoint: async () => ({ task, checkpoint: 1, changes: 0, missed: 0, keptBytes: 0, keptUntil: "2026-01-01" }),
    stats: async () => ({ sandbox: fakeSandbox, task, isPaused: false, openCommands: 0, processes: 0 }),
    rescue: async () => ({ task, action: fakeAction, missing: [] }),
    pause: async () => {},
    resume: async () => {},
    list: async () => [],
    prune: async () => [],
    untilEnded: untilAborted,
    end: async () => ({ sandbox: fakeSandbox, task, refusedConnections: [], ledger }),
    kill: async () => ({ sandbox: fakeSandbox, task, refusedConnections: [], ledger }),
    ...replaced,
  };
  return {
    sandboxes,
    approvals,
    access: async (sandbox) => ({ sandbox, token }),
    reload: async (sandbox) => ({ sandbox, policyHash: "sha256:0", endedConnections: 0, isPartial: false }),
    stop: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
