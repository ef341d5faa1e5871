// `glovebox approval ls`: the questions that wait for an answer from a terminal of this user.
import { printableJson } from "../../kit/printable-json.ts";
import { openRows } from "../approve/open-rows.ts";
import type { CliCommand } from "../command.ts";
import { tableLines } from "../render/table.ts";

export const approvalLsCommand: CliCommand = {
  words: ["approval", "ls"],
  summary: "cli.approval-ls.summary",
  synopsis: "",
  options: [],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox approval ls", about: "cli.approval-ls.example" }],
  execute: async (context) => {
    const { stdout, stderr, text } = context;
    await using broker = await (await context.door()).findBroker();
    const open = await broker?.approvals.list({ signal: new AbortController().signal });
    const questions = open?.questions ?? [];
    if (context.isJson) await stdout.write(printableJson({ approvals: questions }));
    else if (questions.length === 0) await stderr.line(text({ key: "cli.approval-ls.empty" }));
    else await stdout.lines(tableLines(openRows(context, questions, Date.now()), { style: stdout.style, columns: stdout.columns }));
    return 0;
  },
};
