// `glovebox sandbox checkpoint SANDBOX`: keeps the files of the write roots as they are now, so that what comes later can be undone alone.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { sandboxOperand } from "../sandbox/sandbox-operand.ts";

export const sandboxCheckpointCommand: CliCommand = {
  words: ["sandbox", "checkpoint"],
  summary: "cli.sandbox-checkpoint.summary",
  synopsis: "SANDBOX",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox sandbox checkpoint s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-checkpoint.example" }],
  notes: ["cli.sandbox-checkpoint.note-one", "cli.sandbox-checkpoint.note-two"],
  execute: async (context, input) => {
    const { stdout, stderr, text, isJson } = context;
    await using broker = await (await context.door()).reachRunningBroker();
    const made = await broker.sandboxes.checkpoint(await broker.access(sandboxOperand(input)));
    const { task, checkpoint, changes, missed, keptUntil } = made;
    if (isJson) await stdout.write(printableJson(made));
    else {
      await stdout.line(String(checkpoint));
      await stderr.line(text({ key: "cli.sandbox-checkpoint.made", values: { task, checkpoint, changes, keptUntil } }));
      if (missed > 0) await stderr.line(stderr.style("yellow", text({ key: "cli.sandbox-checkpoint.missed", values: { missed } })));
    }
    return 0;
  },
};
