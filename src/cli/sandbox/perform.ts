// A command in an open sandbox at our streams, or collected for a program.
import type { RunIo } from "../../contracts/door.ts";
import type { SandboxCommandResult } from "../../contracts/sandbox-door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliContext } from "../command.ts";
import { closedPipeExit } from "../output.ts";
import { driveRun } from "../run/drive-run.ts";
import { createCollectingSink, createLiveSink } from "../run/output-sink.ts";
import { noteLines } from "../run/run-report.ts";

type Perform = (io: RunIo) => Promise<SandboxCommandResult>;

/** As the built-in policy's `limits.returned`. */
const returnedMax = 256 * 1024;

/** Returns the exit code. */
export async function performForPerson(context: CliContext, hasPty: boolean, perform: Perform): Promise<number> {
  const abort = new AbortController();
  let isPipeClosed = false;
  const { stdout, stderr } = context;
  const onClosed = (): void => {
    isPipeClosed = true;
    abort.abort();
  };
  const sink = createLiveSink({ stdout, stderr, hasPty, onClosed });
  const result = await driveRun(context, { perform, hasPty, sink, abort });
  if (isPipeClosed) return closedPipeExit;
  const lines = noteLines(context, { ...result, refusedConnections: [] });
  if (lines.length > 0 && stderr.isTerminal && !sink.endsLine()) await stderr.line();
  await stderr.lines(lines);
  return result.exitCode;
}

/** Returns the exit code. */
export async function performForProgram(context: CliContext, perform: Perform): Promise<number> {
  const sink = createCollectingSink(returnedMax);
  const result = await driveRun(context, { perform, hasPty: false, sink, abort: new AbortController() });
  const { exitCode, child, notes: _forPersons, ...rest } = result;
  await context.stdout.write(printableJson({ format: 1, exitCode, output: sink.collected(), result: { ...rest, child: child ?? null } }));
  return exitCode;
}
