// One command of a tool in the session's sandbox: bounded, cancelled with its call, and told of while it runs.
import type { SandboxCommandResult } from "../contracts/sandbox-door.ts";
import { OutputCollector } from "../kit/collect-output.ts";
import type { ToolAnswer, ToolContext } from "./tool.ts";

export interface InsideCommand {
  readonly argv: readonly [string, ...string[]];
  /** Inside. Absent: the project. */
  readonly cwd?: string | undefined;
  /** Absent: none. */
  readonly input?: string | Uint8Array | undefined;
  /** Ends it; the policy's `limits.wall` holds besides. */
  readonly timeoutSeconds?: number | undefined;
  /** How much of its output is kept. Absent: as much as one answer may hold. */
  readonly keptBytes?: number;
}

export interface Performed {
  readonly sandbox: string;
  readonly result: SandboxCommandResult;
  readonly output: OutputCollector;
  readonly isTimedOut: boolean;
}

async function* once(input: string | Uint8Array): AsyncGenerator<Uint8Array> {
  if (input.length > 0) yield Buffer.from(input);
}

/** @throws what opening a sandbox and running a command in it throw */
export async function performCommand(context: ToolContext, command: InsideCommand): Promise<Performed> {
  const { sandbox, signal, progress, returnedBytes } = context;
  const { argv, cwd, input, timeoutSeconds, keptBytes = returnedBytes } = command;
  const output = new OutputCollector(keptBytes);
  return sandbox.use(async ({ broker, opened, callerEnvironment }) => {
    const asked = { argv, callerEnvironment, environment: {}, ...(cwd === undefined ? {} : { cwd }) };
    const timeout = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    try {
      const result = await broker.sandboxes.exec(opened, asked, {
        signal: AbortSignal.any([signal, timeout.signal]),
        ...(input === undefined ? {} : { stdin: once(input) }),
        onAsked: (approval) => progress.wait(approval),
        onStart: () => {
          // From here on: a person who has to answer first is no part of the command.
          if (timeoutSeconds !== undefined) timer = setTimeout(() => timeout.abort(), timeoutSeconds * 1000);
          progress.start();
        },
        onOutput: async ({ channel, bytes }) => {
          output.add(channel, bytes);
          progress.add(bytes.length);
        },
      });
      return { sandbox: opened.sandbox, result, output, isTimedOut: timeout.signal.aborted && result.outcome === "cancelled" };
    } finally {
      clearTimeout(timer);
      progress.stop();
    }
  });
}

/** What a program is told of a command that ran. */
export function commandAnswer({ sandbox, result, output, isTimedOut }: Performed): ToolAnswer {
  const { task, action, outcome, exitCode, child, limitHits, durationMs, isLeftRunning } = result;
  const end = { outcome: isTimedOut ? "timeout" : outcome, exitCode, child: child ?? null, limitHits, durationMs, isLeftRunning };
  const said = { stdout: output.describe("stdout"), stderr: output.describe("stderr") };
  return { document: { ...end, ...said, sandbox, task, action }, isError: outcome !== "ok" && outcome !== "failed" };
}
