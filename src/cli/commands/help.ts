// `glovebox help [COMMAND]`: the same as `--help`. The dispatcher turns it into help before anything runs.
import { helpLines } from "../render/help.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";

/** @param words of the command that is asked about; none: the overview */
export async function writeHelp(context: CliContext, words: readonly string[], commands: readonly CliCommand[]): Promise<void> {
  const { stdout, text, isJson } = context;
  const lines = helpLines(words, commands, { text, style: isJson ? (_paint, shown) => shown : stdout.style });
  if (isJson) await stdout.write(printableJson({ help: lines.join("\n") }));
  else await stdout.lines(lines);
}

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
      await writeHelp(context, input.operands, commands());
      return 0;
    },
  };
}
