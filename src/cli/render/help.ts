// Help: an overview, the members of a group, or one command with its options and examples that can be pasted.
import { nearestName } from "../../kit/nearest-name.ts";
import type { Texts } from "../../texts/texts.ts";
import type { CliCommand, OptionSpec } from "../command.ts";
import { globalOptions } from "../global-options.ts";
import type { Style } from "../style.ts";
import { usageError } from "../usage-error.ts";
import { tableLines } from "./table.ts";

export interface HelpOptions {
  readonly text: Texts;
  readonly style: Style;
}

const nameOf = (command: CliCommand): string => command.words.join(" ");

function heading(key: string, { text, style }: HelpOptions): string {
  return style("bold", text({ key }));
}

function optionLines(options: readonly OptionSpec[], help: HelpOptions): string[] {
  const rows = options.map((option) => [
    { text: `--${option.name}${option.value === undefined ? "" : ` ${option.value}`}` },
    { text: help.text({ key: option.about }) },
  ]);
  return tableLines(rows, { style: help.style, indent: "  " });
}

function usageLine(command: CliCommand): string {
  const parts = ["glovebox", nameOf(command), command.options.length === 0 ? "" : "[options]", command.synopsis];
  return parts.filter((part) => part !== "").join(" ");
}

function exampleLines(command: CliCommand, help: HelpOptions): string[] {
  return command.examples.flatMap((example) => [`  ${help.style("dim", `# ${help.text({ key: example.about })}`)}`, `  ${example.line}`]);
}

function commandHelp(command: CliCommand, help: HelpOptions): string[] {
  const own = command.options.length === 0 ? [] : ["", heading("cli.help.options", help), ...optionLines(command.options, help)];
  const notes = (command.notes ?? []).flatMap((key) => ["", help.text({ key })]);
  return [
    help.text({ key: command.summary }),
    "",
    heading("cli.help.usage", help),
    `  ${usageLine(command)}`,
    ...own,
    "",
    heading("cli.help.global-options", help),
    // What a command means by an option of the same name stands above.
    ...optionLines(
      globalOptions.filter(({ name }) => !command.options.some((option) => option.name === name)),
      help,
    ),
    ...notes,
    "",
    heading("cli.help.examples", help),
    ...exampleLines(command, help),
  ];
}

function commandTable(commands: readonly CliCommand[], help: HelpOptions): string[] {
  const rows = commands.map((command) => [{ text: nameOf(command) }, { text: help.text({ key: command.summary }) }]);
  return tableLines(rows, { style: help.style, indent: "  " });
}

function overview(commands: readonly CliCommand[], help: HelpOptions): string[] {
  const run = commands.filter((command) => nameOf(command) === "run");
  return [
    help.text({ key: "cli.help.title" }),
    "",
    heading("cli.help.usage", help),
    "  glovebox run [options] -- CMD [ARG...]",
    "  glovebox COMMAND [options]",
    "",
    heading("cli.help.commands", help),
    ...commandTable(commands, help),
    "",
    heading("cli.help.global-options", help),
    ...optionLines(globalOptions, help),
    "",
    heading("cli.help.examples", help),
    ...run.flatMap((command) => exampleLines(command, help)),
    "",
    help.text({ key: "cli.help.exit-codes" }),
  ];
}

/**
 * @param words none: the overview; one: a command or a group; two: a command
 * @throws USAGE_INVALID for a command that does not exist
 */
export function helpLines(words: readonly string[], commands: readonly CliCommand[], help: HelpOptions): string[] {
  if (words.length === 0) return overview(commands, help);
  const wanted = words.join(" ");
  const command = commands.find((candidate) => nameOf(candidate) === wanted);
  if (command !== undefined) return commandHelp(command, help);
  const members = commands.filter((candidate) => candidate.words.length > 1 && candidate.words[0] === wanted);
  if (members.length > 0)
    return [heading("cli.help.commands", help), ...commandTable(members, help), "", help.text({ key: "cli.help.group" })];
  const near = nearestName(wanted, [...commands.map(nameOf), ...commands.map((candidate) => candidate.words[0])]);
  throw near === undefined
    ? usageError("usage.command-unknown", { command: wanted })
    : usageError("usage.command-misspelt", { command: wanted, near });
}
