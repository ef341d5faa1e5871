// The options that every command takes, and the early look at them that lets even a usage error obey them.
import { chooseLanguage, type Language } from "../texts/texts.ts";
import type { OptionSpec } from "./command.ts";

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

/** Looks only before `--`: what follows belongs to the command that is to run. */
export function readEarlyChoices(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): EarlyChoices {
  const end = argv.indexOf("--");
  const head = end === -1 ? argv : argv.slice(0, end);
  const at = head.indexOf("--lang");
  const asked = at === -1 ? head.find((word) => word.startsWith("--lang="))?.slice("--lang=".length) : head[at + 1];
  return { language: chooseLanguage(asked, env), isJson: head.includes("--json"), isPlain: head.includes("--no-color") };
}
