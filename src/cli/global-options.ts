// The options that every command takes, and the early look at them that lets even a usage error obey them.
import { chooseLanguage, type Language } from "../texts/texts.ts";
import type { CliCommand, OptionSpec } from "./command.ts";

export const globalOptions: readonly OptionSpec[] = [
  { name: "json", about: "cli.option.json" },
  { name: "lang", value: "en|zh", about: "cli.option.lang" },
  { name: "no-color", about: "cli.option.no-color" },
  { name: "yes", about: "cli.option.yes" },
  { name: "help", about: "cli.option.help" },
  { name: "version", about: "cli.option.version" },
];

export interface EarlyChoices {
  readonly language: Language;
  readonly isJson: boolean;
  readonly isPlain: boolean;
}

/** The global option that a word names, `-h` included. */
export function globalOption(word: string): OptionSpec | undefined {
  if (word === "-h") return globalOptions.find((option) => option.name === "help");
  return globalOptions.find((option) => word === `--${option.name}` || word.startsWith(`--${option.name}=`));
}

/** Where a command begins that reads all words behind it itself; undefined when the line is about no such command. */
export function verbatimAt(argv: readonly string[], commands: readonly CliCommand[]): number | undefined {
  let index = 0;
  for (let word = argv[index]; word !== "--" && word?.startsWith("-") === true; word = argv[index]) {
    index += globalOption(word)?.value !== undefined && !word.includes("=") ? 2 : 1;
  }
  const isVerbatim = commands.some(({ words, arguments: given }) => given.kind === "verbatim" && words[0] === argv[index]);
  return isVerbatim ? index : undefined;
}

/** Looks only before `--`: what follows belongs to the command that is to run. */
export function readEarlyChoices(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): EarlyChoices {
  const end = argv.indexOf("--");
  const head = end === -1 ? argv : argv.slice(0, end);
  const at = head.indexOf("--lang");
  const asked = at === -1 ? head.find((word) => word.startsWith("--lang="))?.slice("--lang=".length) : head[at + 1];
  return { language: chooseLanguage(asked, env), isJson: head.includes("--json"), isPlain: head.includes("--no-color") };
}
