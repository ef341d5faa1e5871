// argv -> command, options and operands; strict: an unknown, repeated or half-written option is a usage error with the corrected line.
// It opens nothing and prints nothing.
import { parseArgs } from "node:util";
import { quoteArgument } from "../kit/escape-text.ts";
import { nearestName } from "../kit/nearest-name.ts";
import type { CliCommand, OptionSpec } from "./command.ts";
import { globalOption, globalOptions, verbatimAt } from "./global-options.ts";
import { createOptionValues, type OptionValues } from "./option-values.ts";
import { usageError } from "./usage-error.ts";

export type CommandLine =
  | { readonly kind: "execute"; readonly command: CliCommand; readonly options: OptionValues; readonly operands: readonly string[] }
  /** Empty words: the overview. */
  | { readonly kind: "help"; readonly words: readonly string[] }
  | { readonly kind: "version" }
  | { readonly kind: "nothing" };

interface Split {
  readonly words: readonly string[];
  readonly head: readonly string[];
  /** After `--`; undefined when there is none. */
  readonly tail: readonly string[] | undefined;
}

function matchWords(head: readonly string[], commands: readonly CliCommand[]): readonly string[] {
  const [first = "", second = ""] = head;
  const names = [...new Set(commands.map((command) => command.words[0]))];
  if (!names.includes(first)) {
    const near = nearestName(first, names);
    throw near === undefined
      ? usageError("usage.command-unknown", { command: first })
      : usageError("usage.command-misspelt", { command: first, near });
  }
  const isPair = commands.some((command) => command.words[0] === first && command.words[1] === second);
  return isPair ? [first, second] : [first];
}

/** Finds the command's words behind global options, e.g. `--lang zh policy check FILE`. */
function splitCommandLine(argv: readonly string[], commands: readonly CliCommand[]): Split {
  const end = argv.indexOf("--");
  const head = end === -1 ? argv : argv.slice(0, end);
  const tail = end === -1 ? undefined : argv.slice(end + 1);
  let index = 0;
  for (let word = head[index]; word?.startsWith("-") === true; word = head[index]) {
    const option = globalOption(word);
    if (option === undefined) {
      const isForCommand = commands.some((command) =>
        command.options.some(({ name }) => word === `--${name}` || word?.startsWith(`--${name}=`)),
      );
      throw isForCommand ? usageError("usage.option-too-early", { option: word }) : unknownOption(word, globalOptions, "glovebox");
    }
    const isApart = option.value !== undefined && !word.includes("=");
    if (isApart && index + 1 === head.length) throw usageError("usage.value-missing", { option: word, value: option.value });
    index += isApart ? 2 : 1;
  }
  const words = index < head.length ? matchWords(head.slice(index), commands) : [];
  return { words, head: [...head.slice(0, index), ...head.slice(index + words.length)], tail };
}

function unknownOption(option: string, known: readonly OptionSpec[], command: string): Error {
  const bare = option.replace(/^-+/u, "").replace(/=.*$/su, "");
  const near = nearestName(
    bare,
    known.map(({ name }) => name),
  );
  return near === undefined
    ? usageError("usage.option-unknown", { option, command })
    : usageError("usage.option-misspelt", { option, near: `--${near}` });
}

function scan(head: readonly string[], options: readonly OptionSpec[]) {
  const config = Object.fromEntries(
    options.map((option) => {
      const type: "string" | "boolean" = option.value === undefined ? "boolean" : "string";
      return [option.name, { type, multiple: true, ...(option.name === "help" ? { short: "h" } : {}) }];
    }),
  );
  return parseArgs({ args: [...head], options: config, strict: false, allowPositionals: true, tokens: true }).tokens;
}

type Token = ReturnType<typeof scan>[number];

function readOption(token: Extract<Token, { kind: "option" }>, known: readonly OptionSpec[], command: CliCommand): string {
  const name = `glovebox ${command.words.join(" ")}`;
  const option = known.find((candidate) => candidate.name === token.name);
  if (option === undefined) throw unknownOption(token.rawName, known, name);
  if (option.value === undefined) {
    if (token.value !== undefined) throw usageError("usage.value-unexpected", { option: token.rawName });
    return "";
  }
  // `--policy --json` is a forgotten value far more often than a file of that name; `--policy=--json` says so plainly. An empty value is a
  // variable that was not set: as a path it would mean the current directory.
  if (token.value === undefined || token.value === "" || (!token.inlineValue && token.value.startsWith("-"))) {
    throw usageError("usage.value-missing", { option: token.rawName, value: option.value });
  }
  return token.value;
}

function readOptions(tokens: readonly Token[], command: CliCommand): OptionValues {
  const known = [...command.options, ...globalOptions];
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const value = readOption(token, known, command);
    const option = known.find(({ name }) => name === token.name);
    const values = given.get(token.name);
    if (values === undefined) given.set(token.name, [value]);
    else if (option?.isRepeatable === true) values.push(value);
    else if (option?.value !== undefined) throw usageError("usage.option-repeated", { option: token.rawName });
  }
  return createOptionValues(given);
}

/** Words of ours before a command line that is somebody else's. */
function ownWords({ arguments: given }: CliCommand): number {
  return given.kind === "command" ? (given.before ?? 0) : 0;
}

/** `glovebox run npm test` -> `glovebox run -- npm test` */
function refuseMissingSeparator(split: Split, tokens: readonly Token[], command: CliCommand): void {
  const first = tokens.filter((token) => token.kind === "positional")[ownWords(command)];
  if (first === undefined) return;
  // A mistake in front of it is the first one to repair; what looks like an option behind it belongs to the command.
  readOptions(
    tokens.filter((token) => token.index < first.index),
    command,
  );
  const before = split.head.slice(0, first.index);
  // A separator that comes too late means that the words before it were meant as options' values.
  if (split.tail !== undefined)
    throw usageError("usage.operand-unexpected", { operand: first.value, command: `glovebox ${command.words.join(" ")}` });
  const line = ["glovebox", ...split.words, ...before, "--", ...split.head.slice(first.index)].map((word) => quoteArgument(word)).join(" ");
  throw usageError("usage.separator-missing", { operand: first.value, line });
}

const exampleOf = ({ words, examples, synopsis }: CliCommand): string => examples[0]?.line ?? `glovebox ${words.join(" ")} ${synopsis}`;

function missingOperand(asked: CliCommand): Error {
  const { words, synopsis } = asked;
  const command = `glovebox ${words.join(" ")}`;
  const example = exampleOf(asked);
  // What stands in brackets may be left out and is not what is missing.
  return usageError("usage.operand-missing", { operand: synopsis.replace(/ ?\[[^\]]*\]/gu, ""), command, example });
}

function readOperands(split: Split, tokens: readonly Token[], command: CliCommand): readonly string[] {
  if (command.arguments.kind === "verbatim") return [...split.head, ...(split.tail ?? [])];
  if (command.arguments.kind === "command") {
    if (split.tail === undefined || split.tail[0] === undefined || split.tail[0] === "")
      throw usageError("usage.command-missing", { example: exampleOf(command) });
    const own = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
    if (own.length < ownWords(command)) throw missingOperand(command);
    return [...own, ...split.tail];
  }
  const operands = [...tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])), ...(split.tail ?? [])];
  const name = `glovebox ${command.words.join(" ")}`;
  const extra = operands[command.arguments.maximum];
  if (extra !== undefined) throw usageError("usage.operand-unexpected", { operand: extra, command: name });
  if (operands.length < command.arguments.minimum) throw missingOperand(command);
  return operands;
}

function checkLanguage(options: OptionValues): void {
  const language = options.text("lang");
  if (language !== undefined && language !== "en" && language !== "zh") throw usageError("usage.language-unknown", { language });
}

function parseWithoutCommand(split: Split, commands: readonly CliCommand[]): CommandLine {
  const group = split.words[0];
  if (split.head.some((word) => word === "--help" || word === "-h")) return { kind: "help", words: split.words };
  if (group === undefined) {
    if (split.head.includes("--version")) return { kind: "version" };
    if (split.tail === undefined) return { kind: "nothing" };
    const line = ["glovebox", ...split.head, "run", "--", ...split.tail].map((word) => quoteArgument(word)).join(" ");
    throw usageError("usage.run-missing", { line });
  }
  const members = commands.filter((command) => command.words[0] === group).map((command) => command.words.join(" "));
  const wrong = split.head.find((word) => !word.startsWith("-"));
  const choices = members.join(", ");
  throw wrong === undefined
    ? usageError("usage.subcommand-missing", { command: group, choices })
    : usageError("usage.subcommand-unknown", { command: `${group} ${wrong}`, choices });
}

/** Global options in front of it count; what stands behind it is none of ours. */
function parseVerbatim(argv: readonly string[], commands: readonly CliCommand[]): CommandLine | undefined {
  const index = verbatimAt(argv, commands);
  const command = commands.find(({ words }) => index !== undefined && words[0] === argv[index]);
  if (index === undefined || command === undefined) return undefined;
  const options = readOptions(scan(argv.slice(0, index), globalOptions), { ...command, options: [] });
  checkLanguage(options);
  if (options.has("help")) return { kind: "help", words: command.words };
  return options.has("version") ? { kind: "version" } : { kind: "execute", command, options, operands: argv.slice(index + 1) };
}

/** @throws GloveboxError USAGE_INVALID */
export function parseCommandLine(argv: readonly string[], commands: readonly CliCommand[]): CommandLine {
  const verbatim = parseVerbatim(argv, commands);
  if (verbatim !== undefined) return verbatim;
  const split = splitCommandLine(argv, commands);
  const command = commands.find((candidate) => candidate.words.join(" ") === split.words.join(" "));
  if (command === undefined) return parseWithoutCommand(split, commands);
  const tokens = scan(split.head, [...command.options, ...globalOptions]);
  const isAsked = (name: string): boolean => tokens.some((token) => token.kind === "option" && token.name === name);
  if (isAsked("help")) return { kind: "help", words: command.words };
  if (isAsked("version")) return { kind: "version" };
  if (command.arguments.kind === "command") refuseMissingSeparator(split, tokens, command);
  const options = readOptions(tokens, command);
  checkLanguage(options);
  return { kind: "execute", command, options, operands: readOperands(split, tokens, command) };
}
