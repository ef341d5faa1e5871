// `glovebox sandbox attach SANDBOX COMMAND`: takes over the output and input of a detached command. Leaving it does not end it.
import type { CliCommand } from "../command.ts";
import { performForPerson } from "../sandbox/perform.ts";
import { sandboxOperand } from "../sandbox/sandbox-operand.ts";
import { usageError } from "../usage-error.ts";

export const sandboxAttachCommand: CliCommand = {
  words: ["sandbox", "attach"],
  summary: "cli.sandbox-attach.summary",
  synopsis: "SANDBOX COMMAND",
  options: [],
  arguments: { kind: "operands", minimum: 2, maximum: 2 },
  examples: [
    {
      line: "glovebox sandbox attach s-0193f0c2a1b2-4d5e6f708192 a-0193f0c2a1b2-4d5e6f708192",
      about: "cli.sandbox-attach.example",
    },
  ],
  execute: async (context, input) => {
    if (context.isJson) throw usageError("usage.options-exclude", { option: "--json", other: "sandbox attach" });
    const [, action = ""] = input.operands;
    await using broker = await (await context.door()).reachRunningBroker();
    const access = await broker.access(sandboxOperand(input));
    return await performForPerson(context, false, (io) => broker.sandboxes.attach(access, action, io));
  },
};
