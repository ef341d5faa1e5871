// A run whose caller is a person: output as it comes, then why it ended and the short answer sheet on stderr.
import type { RunRequest } from "../../contracts/door.ts";
import type { CliContext } from "../command.ts";
import { closedPipeExit } from "../output.ts";
import { type Asking, driveRun } from "./drive-run.ts";
import { createLiveSink } from "./output-sink.ts";
import type { ResultFile } from "./result-file.ts";
import { resultDocument } from "./run-documents.ts";
import { noteLines, sheetReportLines } from "./run-report.ts";
import { worktreeNote } from "./worktree-note.ts";

export interface PersonalRun {
  readonly request: RunRequest;
  readonly resultFile: ResultFile | undefined;
  readonly ask: Asking | undefined;
  readonly sheet: "always" | "never" | "at-terminal";
}

/** Returns the exit code. */
export async function runForPerson(context: CliContext, { request, resultFile, ask, sheet }: PersonalRun): Promise<number> {
  const abort = new AbortController();
  let isPipeClosed = false;
  const sink = createLiveSink({
    stdout: context.stdout,
    stderr: context.stderr,
    hasPty: request.pty !== undefined,
    onClosed: () => {
      isPipeClosed = true;
      abort.abort();
    },
  });
  const door = await context.door();
  const result = await driveRun(context, {
    perform: (io) => door.run(request, io),
    hasPty: request.pty !== undefined,
    sink,
    abort,
    ask,
  });
  const exitCode = isPipeClosed ? closedPipeExit : result.exitCode;
  await resultFile?.write(resultDocument(result, exitCode, context.text));
  if (isPipeClosed) return exitCode;
  const wantsSheet = sheet === "always" || (sheet === "at-terminal" && context.stderr.isTerminal);
  const notes = noteLines(context, result, await worktreeNote(door, request, result));
  const lines = wantsSheet ? [...notes, ...sheetReportLines(context, result, request.argv)] : notes;
  // A command that left its last line open must not have our words behind its own.
  if (lines.length > 0 && context.stderr.isTerminal && !sink.endsLine()) await context.stderr.line();
  await context.stderr.lines(lines);
  return exitCode;
}
