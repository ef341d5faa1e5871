// `glovebox ledger ls`: one line per record, newest first.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CommandInput } from "../command.ts";
import { recordTableLines } from "../render/record.ts";
import { usageError } from "../usage-error.ts";

const defaultLimit = 50;
const maximumLimit = 100_000;

function limitOf(input: CommandInput): number {
  const given = input.options.text("limit");
  if (given === undefined) return defaultLimit;
  const limit = /^\d{1,6}$/u.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > maximumLimit)
    throw usageError("usage.number-invalid", { option: "--limit", value: given, maximum: maximumLimit });
  return limit;
}

export const ledgerLsCommand: CliCommand = {
  words: ["ledger", "ls"],
  summary: "cli.ledger-ls.summary",
  synopsis: "",
  options: [
    { name: "task", value: "TASK", about: "cli.option.task" },
    { name: "limit", value: "N", about: "cli.option.limit" },
  ],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox ledger ls --limit 10", about: "cli.ledger-ls.example.plain" },
    { line: "glovebox ledger ls --json", about: "cli.ledger-ls.example.json" },
  ],
  execute: async (context, input) => {
    const limit = limitOf(input);
    const task = input.options.text("task");
    const records = await (await context.door()).records({ limit, ...(task === undefined ? {} : { task }) });
    if (context.isJson) await context.stdout.write(printableJson({ records }));
    else if (records.length === 0) await context.stderr.line(context.text({ key: "cli.ledger-ls.empty" }));
    else await context.stdout.lines(recordTableLines(records, { style: context.stdout.style, columns: context.stdout.columns }));
    return 0;
  },
};
