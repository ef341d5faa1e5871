// What a shell may offer behind `glovebox`, as data: read from the list of commands, so that no shell knows more or less than help does.
import type { Texts } from "../../texts/texts.ts";
import type { CliCommand, OptionSpec } from "../command.ts";
import { globalOptions } from "../global-options.ts";

/** A word to offer and what it means, on one line. */
export interface Offer {
  readonly word: string;
  readonly about: string;
}

export interface OptionOffer extends Offer {
  /** What follows: a path, one of these words, something nobody can guess, or (a switch) nothing. */
  readonly value: { readonly kind: "none" | "path" | "free" } | { readonly kind: "choice"; readonly words: readonly string[] };
}

/** Where somebody is on the line, and what may come next. */
export interface Position {
  /** "", a group such as "policy", or a whole command such as "policy check". */
  readonly command: string;
  readonly words: readonly Offer[];
  readonly options: readonly OptionOffer[];
}

export interface CompletionTable {
  /** The first words that a second one must follow. */
  readonly groups: readonly string[];
  readonly positions: readonly Position[];
}

const pathValues: ReadonlySet<string> = new Set(["FILE", "DIR", "PATH", "D", "F"]);

function valueOf({ value }: OptionSpec): OptionOffer["value"] {
  if (value === undefined) return { kind: "none" };
  if (value.includes("|")) return { kind: "choice", words: value.split("|") };
  return { kind: pathValues.has(value) ? "path" : "free" };
}

/** An operand that is one of a few words: `bash|zsh|fish`. */
function operandWords({ synopsis, summary }: CliCommand, text: Texts): readonly Offer[] {
  if (!/^[a-z-]+(?:\|[a-z-]+)+$/u.test(synopsis)) return [];
  return synopsis.split("|").map((word) => ({ word, about: text({ key: summary }) }));
}

/** @param commands the operations of the command line; help's own comes with them */
export function completionTable(commands: readonly CliCommand[], text: Texts): CompletionTable {
  const offerOption = (option: OptionSpec): OptionOffer => ({
    word: `--${option.name}`,
    about: text({ key: option.about }),
    value: valueOf(option),
  });
  const shared = globalOptions.map(offerOption);
  const groups = [...new Set(commands.filter(({ words }) => words.length > 1).map(({ words }) => words[0]))];
  const first: Offer[] = [
    ...commands
      .filter(({ words }) => words.length === 1)
      .map((command) => ({ word: command.words[0], about: text({ key: command.summary }) })),
    ...groups.map((word) => ({ word, about: text({ key: "cli.completions.group" }) })),
  ];
  const members = (group: string): Offer[] =>
    commands.flatMap(({ words, summary }) =>
      words[0] === group && words[1] !== undefined ? [{ word: words[1], about: text({ key: summary }) }] : [],
    );
  return {
    groups,
    positions: [
      { command: "", words: first, options: shared },
      ...groups.map((group) => ({ command: group, words: members(group), options: shared })),
      ...commands.map((command) => ({
        command: command.words.join(" "),
        words: operandWords(command, text),
        options: [...command.options.map(offerOption), ...shared],
      })),
    ],
  };
}

/** All options of one kind of value, whatever their command, each once. */
export function optionsWith(table: CompletionTable, kind: OptionOffer["value"]["kind"]): readonly OptionOffer[] {
  const found = new Map<string, OptionOffer>();
  for (const option of table.positions.flatMap(({ options }) => options)) {
    if (option.value.kind === kind) found.set(option.word, option);
  }
  return [...found.values()];
}

/** For the patterns of a shell's `case`. */
export function takingValues(table: CompletionTable): string {
  return (["path", "choice", "free"] as const).flatMap((kind) => optionsWith(table, kind).map(({ word }) => word)).join("|");
}
