// `glovebox srt ...`: the command line and the settings file of sandbox-runtime, run through our broker. What differs is in docs/agents.md.
import path from "node:path";
import type { RunRequest } from "../../contracts/door.ts";
import type { ImportedPolicy } from "../../contracts/policy-import.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { noteLine } from "../render/import-notes.ts";
import { findProjectDirectory } from "../run/project-directory.ts";
import { wantsPty } from "../run/pty-choice.ts";
import { realDirectory } from "../run/real-directory.ts";
import { runForPerson } from "../run/run-for-person.ts";
import { parseSrtWords, type SrtWords } from "../srt/srt-words.ts";
import { usageError } from "../usage-error.ts";
import { writeHelp } from "./help.ts";

/** What srt takes where there is no settings file: nothing is denied reading, nothing may be written, nothing connects. */
const withoutFile = JSON.stringify({
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
});

interface Settings extends ImportedPolicy {
  readonly file: string;
}

/** Relative paths in them are meant from where the caller stands, as in srt. */
async function settingsOf(context: CliContext, words: SrtWords, projectDirectory: string): Promise<Settings> {
  const base = await realDirectory(context.cwd);
  const place = base === projectDirectory ? {} : { base };
  // By the user database: a variable that moves the home directory must not choose the rules.
  const file = words.settings === undefined ? path.join(context.home, ".srt-settings.json") : path.resolve(context.cwd, words.settings);
  // A file that somebody names is there, or its rules would be lost.
  const missing = words.settings === undefined ? { orElse: withoutFile } : {};
  return { file, ...(await (await context.door()).importPolicy({ from: "srt", file, projectDirectory, ...place, ...missing })) };
}

function argvOf({ script = "", command }: SrtWords): readonly [string, ...string[]] {
  if (script !== "") return ["bash", "-c", script];
  const [program, ...rest] = command;
  if (program === undefined || program === "") throw usageError("usage.srt-command");
  return [program, ...rest];
}

async function showNotes({ stderr, text }: CliContext, { file, notes }: Settings, isDebug: boolean): Promise<void> {
  const refused = notes.filter(({ kind }) => kind === "refused").length;
  if (isDebug) await stderr.lines(notes.map((note) => noteLine(file, note, text)));
  // A program that reads these streams expects them as srt leaves them, unless the settings ask for what is not given.
  else if (refused > 0) await stderr.line(text({ key: "cli.srt.refused", values: { count: refused, file } }));
}

async function run(context: CliContext, input: CommandInput, words: SrtWords): Promise<number> {
  if (words.controlFd !== undefined) throw usageError("usage.srt-control-fd");
  if (words.settings?.isWellFormed() === false) throw usageError("usage.not-utf8", { argument: words.settings });
  const argv = argvOf(words);
  const projectDirectory = await findProjectDirectory(undefined, context);
  const settings = await settingsOf(context, words, projectDirectory);
  await showNotes(context, settings, words.isDebug);
  const document = { label: settings.file, text: JSON.stringify(settings.document) };
  const request: RunRequest = {
    policy: { projectDirectory, document },
    argv,
    cwd: await realDirectory(context.cwd),
    callerEnvironment: context.io.env,
    ...(wantsPty(context, input) ? { pty: context.stdout.size } : {}),
  };
  return runForPerson(context, { request, resultFile: undefined, ask: undefined, sheet: words.isDebug ? "always" : "never" });
}

/** @param commands all of them: `--help` among its words is answered as srt answers it */
export function createSrtCommand(commands: () => readonly CliCommand[]): CliCommand {
  return {
    words: ["srt"],
    summary: "cli.srt.summary",
    synopsis: "[-c STR | CMD [ARG...]]",
    options: [
      { name: "debug", about: "cli.option.srt-debug" },
      { name: "settings", value: "FILE", about: "cli.option.srt-settings" },
    ],
    arguments: { kind: "verbatim" },
    examples: [
      { line: "glovebox srt npm test", about: "cli.srt.example.plain" },
      { line: "glovebox srt -s strict.json -c 'ls | wc -l'", about: "cli.srt.example.script" },
    ],
    notes: ["cli.srt.note"],
    execute: async (context, input) => {
      const words = parseSrtWords(input.operands);
      if (!words.isHelp && !words.isVersion) return run(context, input, words);
      if (words.isVersion) await context.stdout.line(`glovebox ${context.version}`);
      else await writeHelp(context, ["srt"], commands());
      return 0;
    },
  };
}
