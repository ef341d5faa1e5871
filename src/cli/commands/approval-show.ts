// `glovebox approval show APPROVAL`: everything that an answer to an open question would cover. It takes no answer.
import { printableJson } from "../../kit/printable-json.ts";
import { approvalOperand, approvalSynopsis } from "../approve/approval-operand.ts";
import { questionLines } from "../approve/question-lines.ts";
import type { CliCommand } from "../command.ts";

export const approvalShowCommand: CliCommand = {
  words: ["approval", "show"],
  summary: "cli.approval-show.summary",
  synopsis: approvalSynopsis,
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox approval show q-0193f0c2a1b2-4d5e6f708192", about: "cli.approval-show.example" }],
  execute: async (context, input) => {
    const { stdout, text } = context;
    await using broker = await (await context.door()).reachRunningBroker();
    const question = await broker.approvals.show(approvalOperand(input));
    if (context.isJson) await stdout.write(printableJson(question));
    else await stdout.lines(questionLines(question, undefined, { text, style: stdout.style }));
    return 0;
  },
};
