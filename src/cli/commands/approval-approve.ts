// `glovebox approval approve APPROVAL`: shows an open question at this terminal and takes the person's answer. There is no flag that grants. INVARIANT I-12
import { answerOpen } from "../approve/answer-open.ts";
import { approvalOperand, approvalSynopsis } from "../approve/approval-operand.ts";
import type { CliCommand } from "../command.ts";
import { relaySignals } from "../run/relay-signals.ts";
import { usageError } from "../usage-error.ts";

/** 128 + SIGINT: the person left the question as it was. */
const leftExit = 130;

const exits = { granted: 0, refused: 0, over: leftExit } as const;

export const approvalApproveCommand: CliCommand = {
  words: ["approval", "approve"],
  summary: "cli.approval-approve.summary",
  synopsis: approvalSynopsis,
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox approval approve q-0193f0c2a1b2-4d5e6f708192", about: "cli.approval-approve.example" }],
  notes: ["cli.approval-approve.note"],
  execute: async (context, input) => {
    // A program that reads the answer is no person who gives one.
    if (context.isJson) throw usageError("usage.options-exclude", { option: "--json", other: "approval approve" });
    const leaving = new AbortController();
    const signals = relaySignals(context.io.events, () => leaving.abort());
    try {
      await using broker = await (await context.door()).reachRunningBroker();
      return exits[await answerOpen(context, { approvals: broker.approvals, approval: approvalOperand(input), leaving: leaving.signal })];
    } finally {
      signals.release();
    }
  },
};
