// `glovebox run [options] -- CMD...`: one command behind the wall. The command's output is ours, its exit code is ours; the rest is on stderr.
import path from "node:path";
import type { RunRequest } from "../../contracts/door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { askAtTerminal } from "../approve/ask-at-terminal.ts";
import { askElsewhere } from "../approve/ask-elsewhere.ts";
import type { CliCommand, CliContext, CommandInput, OptionSpec } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicyWithFlags } from "../policy-selection.ts";
import { describeFailure, failureJson } from "../render/failure.ts";
import { type Asking, driveRun } from "../run/drive-run.ts";
import { createCollectingSink } from "../run/output-sink.ts";
import { openResultFile, type ResultFile } from "../run/result-file.ts";
import { refusalDocument, resultDocument } from "../run/run-documents.ts";
import { givenInputs, inputOption } from "../run/input-option.ts";
import { policyFlags } from "../run/run-overrides.ts";
import { runForPerson } from "../run/run-for-person.ts";
import { ptyOptions, wantsPty } from "../run/pty-choice.ts";
import { cwdOption, startDirectory } from "../run/start-directory.ts";
import { usageError } from "../usage-error.ts";

const options: readonly OptionSpec[] = [
  policyOption,
  presetOption,
  projectOption,
  cwdOption,
  inputOption,
  ...policyFlags,
  { name: "result-file", value: "FILE", about: "cli.option.result-file" },
  ...ptyOptions,
  { name: "interactive", about: "cli.option.interactive" },
  { name: "ask-elsewhere", about: "cli.option.ask-elsewhere" },
  { name: "unsandboxed", about: "cli.option.unsandboxed" },
  { name: "outside", value: "ID", about: "cli.option.outside" },
  { name: "sheet", about: "cli.option.sheet" },
  { name: "quiet", about: "cli.option.quiet" },
];

/** A way out of the sandbox, when one is asked for. */
function outsideOf({ options: given }: CommandInput): Pick<RunRequest, "outside"> {
  const entry = given.text("outside");
  if (entry !== undefined && given.has("unsandboxed"))
    throw usageError("usage.options-exclude", { option: "--unsandboxed", other: "--outside" });
  const chosen = entry === undefined ? "--unsandboxed" : "--outside";
  const isOutside = entry !== undefined || given.has("unsandboxed");
  for (const other of ["pty", "input"])
    if (isOutside && given.has(other)) throw usageError("usage.options-exclude", { option: chosen, other: `--${other}` });
  return isOutside ? { outside: { entry } } : {};
}

async function runRequest(context: CliContext, input: CommandInput): Promise<RunRequest> {
  const [command = "", ...rest] = input.operands;
  const cwd = await startDirectory(context, input);
  const policy = await selectPolicyWithFlags(context, input);
  const outside = outsideOf(input);
  const pty = outside.outside === undefined && wantsPty(context, input) ? { pty: context.stdout.size } : {};
  return { policy, argv: [command, ...rest], cwd, callerEnvironment: context.io.env, ...givenInputs(context, input), ...outside, ...pty };
}

function sheetChoice({ options: given }: CommandInput): "always" | "never" | "at-terminal" {
  if (given.has("sheet")) return "always";
  return given.has("quiet") ? "never" : "at-terminal";
}

function askingOf(context: CliContext, { options: given }: CommandInput): Asking | undefined {
  const isElsewhere = given.has("ask-elsewhere");
  if (isElsewhere && given.has("interactive"))
    throw usageError("usage.options-exclude", { option: "--interactive", other: "--ask-elsewhere" });
  if (isElsewhere) return { ask: askElsewhere(context), isHere: false };
  return given.has("interactive") ? { ask: askAtTerminal(context), isHere: true } : undefined;
}

async function runForProgram(context: CliContext, input: CommandInput, resultFile: ResultFile | undefined): Promise<number> {
  // A program that reads the answer is no person who gives one.
  if (input.options.has("interactive")) throw usageError("usage.options-exclude", { option: "--interactive", other: "--json" });
  const request = await runRequest(context, input);
  const ask = askingOf(context, input);
  const door = await context.door();
  const policy = await door.policy(request.policy);
  const sink = createCollectingSink(policy.limits.returnedBytes);
  const result = await driveRun(context, {
    perform: (io) => door.run(request, io),
    hasPty: request.pty !== undefined,
    sink,
    abort: new AbortController(),
    ask,
  });
  const document = resultDocument(result, result.exitCode, context.text);
  await resultFile?.write(document);
  // The output comes before the long answer sheet: it is what most readers want first.
  const { format, exitCode } = document;
  await context.stdout.write(printableJson({ format, exitCode, output: sink.collected(), result: document.result }));
  return result.exitCode;
}

/** A refusal goes into the result file too, before it is shown. */
async function execute(context: CliContext, input: CommandInput): Promise<number> {
  const asked = input.options.text("result-file");
  const resultFile = asked === undefined ? undefined : await openResultFile(path.resolve(context.cwd, asked));
  try {
    if (context.isJson) return await runForProgram(context, input, resultFile);
    const request = await runRequest(context, input);
    return await runForPerson(context, { request, resultFile, ask: askingOf(context, input), sheet: sheetChoice(input) });
  } catch (error) {
    const failure = describeFailure(error, context.io.env);
    if (failure.error.situation !== "cli.result-file-unwritable") {
      await resultFile?.write(refusalDocument(failureJson(failure, context.text), failure.error.row.exit));
    }
    throw error;
  } finally {
    await resultFile?.close();
  }
}

export const runCommand: CliCommand = {
  words: ["run"],
  summary: "cli.run.summary",
  synopsis: "-- CMD [ARG...]",
  options,
  arguments: { kind: "command" },
  examples: [
    { line: "glovebox run -- npm test", about: "cli.run.example.plain" },
    { line: "glovebox run --wall 90s --deny-read secrets -- python3 script.py", about: "cli.run.example.limits" },
    { line: "glovebox run --input data.csv -- sh -c 'wc -l \"$INPUT_DIR/data.csv\"'", about: "cli.run.example.input" },
    { line: "glovebox run --json -- git status", about: "cli.run.example.json" },
    { line: "glovebox run --interactive -- git push", about: "cli.run.example.interactive" },
    { line: "glovebox run --ask-elsewhere -- git push", about: "cli.run.example.ask-elsewhere" },
    { line: "glovebox run -- sh -c 'ls | wc -l'", about: "cli.run.example.shell" },
  ],
  notes: ["cli.run.note.outside", "cli.run.note.project", "cli.run.note.terminal", "cli.run.note.end"],
  execute,
};
