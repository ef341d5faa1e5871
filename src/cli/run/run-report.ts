// What a person reads on stderr after a run: why it ended when that was not the command's own choice, and the short answer sheet.
import type { RunResult } from "../../contracts/door.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import { wellFormedByteText } from "../../kit/byte-text.ts";
import { quoteArgument } from "../../kit/escape-text.ts";
import { showDuration } from "../../kit/show-quantity.ts";
import type { CliContext } from "../command.ts";
import { shortSheetLines } from "../render/sheet.ts";

/** What a command's end needs to be told. */
export type Ended = Pick<RunResult, "exitCode" | "notes" | "refusedConnections" | "presetNotes">;

/** What was refused of the network, and what would allow it. */
function connectionNotes({ refusedConnections }: Ended): readonly Sentence[] {
  return refusedConnections.length === 0 ? [] : [{ key: "cli.run.refused-connections" }, ...refusedConnections];
}

/** Lines for stderr; empty when the command simply ended and nobody has anything to add. */
export function noteLines(context: CliContext, result: Ended, more?: Sentence): readonly string[] {
  // What a preset left out matters to whoever wonders why a command failed; the sheet has it always.
  const left = result.exitCode === 0 ? [] : (result.presetNotes ?? []);
  const notes = [...connectionNotes(result), ...result.notes, ...(more === undefined ? [] : [more]), ...left];
  const name = context.stderr.style("red", "glovebox:");
  return notes.map((sentence) => `${name} ${context.text(sentence)}`);
}

/** How many the line names; the full sheet and the diff have more. */
const laterShown = 3;

/** Files that the host will run: a person should look at them before anything else. */
function laterLines({ text, stderr }: CliContext, { changes, task }: RunResult): readonly string[] {
  if (changes === undefined || changes.counts.runsLater === 0) return [];
  const shown = changes.runsLater.slice(0, laterShown).map(wellFormedByteText);
  const rest = changes.counts.runsLater - shown.length;
  const values = { paths: [...shown, ...(rest > 0 ? [`+${rest}`] : [])].join(", "), task };
  return [stderr.style("yellow", text({ key: "cli.run.runs-later", values }))];
}

/** One line about the run, then seven short answers. */
export function sheetReportLines(context: CliContext, result: RunResult, argv: readonly string[]): readonly string[] {
  const { text, stderr } = context;
  const outcomes = {
    ok: "cli.outcome.ok",
    failed: "cli.outcome.failed",
    denied: "cli.outcome.denied",
    limit: "cli.outcome.limit",
    timeout: "cli.outcome.timeout",
    cancelled: "cli.outcome.cancelled",
    lost: "cli.outcome.lost",
  } as const;
  const values = {
    task: result.task,
    outcome: text({ key: outcomes[result.outcome] }),
    duration: showDuration(result.durationMs),
    command: argv
      .slice(0, 1)
      .map((word) => quoteArgument(word))
      .join(" "),
    firstSeq: result.ledger.firstSeq,
    lastSeq: result.ledger.lastSeq,
  };
  return [
    stderr.style("dim", text({ key: "cli.run.sheet", values })),
    ...shortSheetLines(result.sheet, { text, style: stderr.style, columns: stderr.columns }),
    ...laterLines(context, result),
    stderr.style("dim", text({ key: "cli.run.sheet-more", values: { task: result.task } })),
  ];
}
