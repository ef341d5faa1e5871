// `glovebox approval deny APPROVAL`: refuses an open question. It needs no terminal: what is refused does not run.
import { approvalOperand, approvalSynopsis } from "../approve/approval-operand.ts";
import type { CliCommand } from "../command.ts";

export const approvalDenyCommand: CliCommand = {
  words: ["approval", "deny"],
  summary: "cli.approval-deny.summary",
  synopsis: approvalSynopsis,
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox approval deny q-0193f0c2a1b2-4d5e6f708192", about: "cli.approval-deny.example" }],
  execute: async (context, input) => {
    await using broker = await (await context.door()).reachRunningBroker();
    await broker.approvals.answer(approvalOperand(input), "refused");
    return 0;
  },
};
