// `glovebox agent-shell`: what stands in SHELL. Every word goes to bash in a sandbox by the policy of the project; nobody is asked.
import type { RunRequest } from "../../contracts/door.ts";
import type { CliCommand } from "../command.ts";
import { findProjectDirectory } from "../run/project-directory.ts";
import { wantsPty } from "../run/pty-choice.ts";
import { realDirectory } from "../run/real-directory.ts";
import { runForPerson } from "../run/run-for-person.ts";

export const agentShellCommand: CliCommand = {
  words: ["agent-shell"],
  summary: "cli.agent-shell.summary",
  synopsis: "[-c STR [ARG...]]",
  options: [],
  arguments: { kind: "verbatim" },
  examples: [{ line: "glovebox agent-shell -lc 'npm test'", about: "cli.agent-shell.example" }],
  notes: ["cli.agent-shell.note"],
  execute: async (context, input) => {
    const request: RunRequest = {
      policy: { projectDirectory: await findProjectDirectory(undefined, context) },
      argv: ["bash", ...input.operands],
      cwd: await realDirectory(context.cwd),
      callerEnvironment: context.io.env,
      ...(wantsPty(context, input) ? { pty: context.stdout.size } : {}),
    };
    return runForPerson(context, { request, resultFile: undefined, ask: undefined, sheet: "never" });
  },
};
