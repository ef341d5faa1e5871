// `glovebox sandbox exec SANDBOX -- CMD...`: one more command in an open sandbox. What it leaves running stays there.
import type { SandboxCommand, SandboxCommandResult } from "../../contracts/sandbox-door.ts";
import type { RunIo } from "../../contracts/door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { cwdOption, startDirectory } from "../run/start-directory.ts";
import { environmentSet } from "../run/run-overrides.ts";
import { ptyOptions, wantsPty } from "../run/pty-choice.ts";
import { performForPerson, performForProgram } from "../sandbox/perform.ts";
import { sandboxOperand } from "../sandbox/sandbox-operand.ts";
import { usageError } from "../usage-error.ts";

async function commandOf(context: CliContext, input: CommandInput): Promise<SandboxCommand> {
  const [, program = "", ...rest] = input.operands;
  const isDetached = input.options.has("detach");
  if (isDetached && input.options.has("pty")) throw usageError("usage.options-exclude", { option: "--detach", other: "--pty" });
  const pty = !isDetached && wantsPty(context, input) ? { pty: context.stdout.size } : {};
  return {
    argv: [program, ...rest],
    cwd: await startDirectory(context, input),
    callerEnvironment: context.io.env,
    environment: environmentSet(input),
    ...pty,
    ...(isDetached ? { isDetached: true } : {}),
  };
}

/** A detached command has no caller's input. */
const withoutInput = ({ stdin: _stdin, ...io }: RunIo): RunIo => io;

async function detach(context: CliContext, perform: (io: RunIo) => Promise<SandboxCommandResult>): Promise<number> {
  const { action, task } = await perform(
    withoutInput({ signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} }),
  );
  if (context.isJson) await context.stdout.write(printableJson({ action, task }));
  else await context.stdout.line(action);
  return 0;
}

export const sandboxExecCommand: CliCommand = {
  words: ["sandbox", "exec"],
  summary: "cli.sandbox-exec.summary",
  synopsis: "SANDBOX -- CMD [ARG...]",
  options: [
    cwdOption,
    { name: "env", value: "NAME=VALUE", isRepeatable: true, about: "cli.option.env" },
    ...ptyOptions,
    { name: "detach", about: "cli.option.detach" },
  ],
  arguments: { kind: "command", before: 1 },
  examples: [
    { line: "glovebox sandbox exec s-0193f0c2a1b2-4d5e6f708192 -- npm test", about: "cli.sandbox-exec.example.plain" },
    { line: "glovebox sandbox exec s-0193f0c2a1b2-4d5e6f708192 --detach -- npm run dev", about: "cli.sandbox-exec.example.detach" },
  ],
  notes: ["cli.sandbox-exec.note"],
  execute: async (context, input) => {
    const command = await commandOf(context, input);
    await using broker = await (await context.door()).reachRunningBroker();
    const access = await broker.access(sandboxOperand(input));
    const perform = (io: RunIo) => broker.sandboxes.exec(access, command, io);
    if (command.isDetached === true) return await detach(context, perform);
    return await (context.isJson ? performForProgram(context, perform) : performForPerson(context, command.pty !== undefined, perform));
  },
};
