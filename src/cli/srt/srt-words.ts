// The words of an `srt` command line, read as srt 0.0.78 reads them: its options count wherever they stand before `--`, a word that looks like
// an option and is none belongs to the command, and `-c` takes the next word whatever it is.
import { usageError } from "../usage-error.ts";

export interface SrtWords {
  readonly isDebug: boolean;
  /** `-s FILE` */
  readonly settings: string | undefined;
  /** `-c STR`; an empty one counts as none. */
  readonly script: string | undefined;
  /** `--control-fd N` */
  readonly controlFd: string | undefined;
  readonly isHelp: boolean;
  readonly isVersion: boolean;
  readonly command: readonly string[];
}

type Name = "debug" | "settings" | "script" | "controlFd" | "help" | "version";

const names: ReadonlyMap<string, Name> = new Map([
  ["-d", "debug"],
  ["--debug", "debug"],
  ["-s", "settings"],
  ["--settings", "settings"],
  ["-c", "script"],
  ["--control-fd", "controlFd"],
  ["-h", "help"],
  ["--help", "help"],
  ["-V", "version"],
  ["--version", "version"],
]);

const takesValue = (name: Name): boolean => name === "settings" || name === "script" || name === "controlFd";

interface Step {
  readonly option?: { readonly name: Name; readonly value: string };
  /** A word of the command. */
  readonly word?: string;
  /** What is still to be read. */
  readonly rest: readonly string[];
}

/** `-dc STR` is `-d -c STR`, `-sFILE` is `-s FILE`. */
function readJoined(word: string, rest: readonly string[]): Step | undefined {
  const name = /^-[^-]./u.test(word) ? names.get(word.slice(0, 2)) : undefined;
  if (name === undefined) return undefined;
  if (takesValue(name)) return { option: { name, value: word.slice(2) }, rest };
  return { option: { name, value: "" }, rest: [`-${word.slice(2)}`, ...rest] };
}

function readStep(word: string, rest: readonly string[]): Step {
  const name = names.get(word);
  if (name !== undefined) {
    if (!takesValue(name)) return { option: { name, value: "" }, rest };
    const [value] = rest;
    if (value === undefined) throw usageError("usage.value-missing", { option: word, value: "VALUE" });
    return { option: { name, value }, rest: rest.slice(1) };
  }
  const joined = readJoined(word, rest);
  if (joined !== undefined) return joined;
  const at = word.indexOf("=");
  const assigned = word.startsWith("--") && at > 2 ? names.get(word.slice(0, at)) : undefined;
  if (assigned !== undefined && takesValue(assigned)) return { option: { name: assigned, value: word.slice(at + 1) }, rest };
  return { word, rest };
}

/** @throws USAGE_INVALID for an option without its value */
export function parseSrtWords(argv: readonly string[]): SrtWords {
  const found = new Map<Name, string>();
  const command: string[] = [];
  let rest = argv;
  for (let word = rest[0]; word !== undefined; word = rest[0]) {
    if (word === "--") {
      // Behind an option of the command it is the command's own separator.
      const isOurs = !command.some((given) => given.length > 1 && given.startsWith("-"));
      command.push(...rest.slice(isOurs ? 1 : 0));
      break;
    }
    const step = readStep(word, rest.slice(1));
    if (step.option !== undefined) found.set(step.option.name, step.option.value);
    if (step.word !== undefined) command.push(step.word);
    rest = step.rest;
  }
  return {
    isDebug: found.has("debug"),
    settings: found.get("settings"),
    script: found.get("script"),
    controlFd: found.get("controlFd"),
    isHelp: found.has("help"),
    isVersion: found.has("version"),
    command,
  };
}
