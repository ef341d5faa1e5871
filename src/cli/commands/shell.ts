// `glovebox shell`: an interactive shell in one sandbox, at our terminal. It is a run like any other: decided, recorded, with a sheet at its end.
import { accessSync, constants } from "node:fs";
import type { RunRequest } from "../../contracts/door.ts";
import { askAtTerminal } from "../approve/ask-at-terminal.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicy } from "../policy-selection.ts";
import { cwdOption, startDirectory } from "../run/start-directory.ts";
import { runForPerson } from "../run/run-for-person.ts";
import { usageError } from "../usage-error.ts";

/** Absolute, so that a directory of the caller's PATH does not choose. The default view shows both. */
function shellProgram(): string {
  try {
    accessSync("/bin/bash", constants.X_OK);
    return "/bin/bash";
  } catch {
    return "/bin/sh"; // POSIX has it everywhere
  }
}

async function shellRequest(context: CliContext, input: CommandInput): Promise<RunRequest> {
  const { io } = context;
  // The keyboard and the screen are what a shell is for; a pipe is for `run -- sh`.
  if (io.stdin.isTTY !== true || !context.stdout.isTerminal || io.isInBackground()) throw usageError("usage.shell-no-terminal");
  const cwd = await startDirectory(context, input);
  const policy = await selectPolicy(context, input);
  return { policy, argv: [shellProgram(), "-i"], cwd, callerEnvironment: context.io.env, pty: context.stdout.size };
}

export const shellCommand: CliCommand = {
  words: ["shell"],
  summary: "cli.shell.summary",
  synopsis: "",
  options: [policyOption, presetOption, projectOption, cwdOption, { name: "quiet", about: "cli.option.quiet" }],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox shell", about: "cli.shell.example.plain" },
    { line: "glovebox shell --policy strict.yaml", about: "cli.shell.example.policy" },
  ],
  notes: ["cli.shell.note", "cli.run.note.end"],
  execute: async (context, input) => {
    if (context.isJson) throw usageError("usage.options-exclude", { option: "--json", other: "shell" });
    const request = await shellRequest(context, input);
    const sheet = input.options.has("quiet") ? "never" : "always";
    return runForPerson(context, { request, resultFile: undefined, ask: { ask: askAtTerminal(context), isHere: true }, sheet });
  },
};
