// `glovebox ledger show SEQ|TASK`: one record, or all records of a task in the order they happened.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { StoredRecord } from "../../contracts/ledger.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { recordLines } from "../render/record.ts";

const maximumRecords = 10_000;

async function recordsOf(context: CliContext, wanted: string): Promise<readonly StoredRecord[]> {
  const door = await context.door();
  if (/^\d{1,15}$/u.test(wanted)) return [await door.record(Number(wanted))];
  const records = await door.records({ task: wanted, limit: maximumRecords });
  if (records.length === 0) throw new GloveboxError("TASK_UNKNOWN", "cli.task-without-records", { values: { task: wanted } });
  return records.toReversed();
}

export const ledgerShowCommand: CliCommand = {
  words: ["ledger", "show"],
  summary: "cli.ledger-show.summary",
  synopsis: "SEQ|TASK",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [
    { line: "glovebox ledger show 12", about: "cli.ledger-show.example.seq" },
    { line: "glovebox ledger show t-0193f0c2a1b2-4d5e6f708192", about: "cli.ledger-show.example.task" },
  ],
  execute: async (context, input) => {
    const records = await recordsOf(context, input.operands[0] ?? "");
    const { text, stdout } = context;
    if (context.isJson) await stdout.write(printableJson({ records }));
    else
      await stdout.lines(
        records.flatMap((record, index) => [...(index === 0 ? [] : [""]), ...recordLines(record, { text, style: stdout.style })]),
      );
    return 0;
  },
};
