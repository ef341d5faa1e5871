// `glovebox completions SHELL`: a script that lets the shell finish what a person begins to type.
import { printableJson } from "../../kit/printable-json.ts";
import { bashScript } from "../completions/bash.ts";
import { completionTable, type CompletionTable } from "../completions/completion-table.ts";
import { fishScript } from "../completions/fish.ts";
import { zshScript } from "../completions/zsh.ts";
import type { CliCommand } from "../command.ts";
import { usageError } from "../usage-error.ts";

const scripts: ReadonlyMap<string, (table: CompletionTable) => string> = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

/** @param commands all operations, this one included; asked when one of them runs */
export function createCompletionsCommand(commands: () => readonly CliCommand[]): CliCommand {
  return {
    words: ["completions"],
    summary: "cli.completions.summary",
    synopsis: "bash|zsh|fish",
    options: [],
    arguments: { kind: "operands", minimum: 1, maximum: 1 },
    examples: [
      { line: "glovebox completions bash", about: "cli.completions.example.bash" },
      { line: "glovebox completions zsh", about: "cli.completions.example.zsh" },
      { line: "glovebox completions fish", about: "cli.completions.example.fish" },
    ],
    execute: async (context, { operands }) => {
      const [shell = ""] = operands;
      const script = scripts.get(shell);
      if (script === undefined) throw usageError("usage.shell-unknown", { shell, choices: [...scripts.keys()].join(", ") });
      const text = script(completionTable(commands(), context.text));
      await context.stdout.write(context.isJson ? printableJson({ shell, script: text }) : text);
      return 0;
    },
  };
}
