// `glovebox help [COMMAND]`: the same as `--help`. The dispatcher turns it into help before anything runs.
import { helpLines } from "../render/help.ts";
import type { CliCommand } from "../command.ts";

/** @param commands all of them: help is about the others */
export function createHelpCommand(commands: () => readonly CliCommand[]): CliCommand {
  return {
    words: ["help"],
    summary: "cli.help.summary",
    synopsis: "[COMMAND]",
    options: [],
    arguments: { kind: "operands", minimum: 0, maximum: 2 },
    examples: [
      { line: "glovebox help run", about: "cli.help.example.command" },
      { line: "glovebox policy check --help", about: "cli.help.example.option" },
    ],
    execute: async (context, input) => {
      await context.stdout.lines(helpLines(input.operands, commands(), { text: context.text, style: context.stdout.style }));
      return 0;
    },
  };
}
