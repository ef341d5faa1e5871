// The command line's front: argv in, exit code out. It is handed the door and builds nothing; data goes to stdout, all else to stderr.
import type { Door } from "../contracts/door.ts";
import type { McpServers } from "../contracts/mcp-servers.ts";
import { errorTable } from "../contracts/error-table.ts";
import { escapeText } from "../kit/escape-text.ts";
import { printableJson } from "../kit/printable-json.ts";
import { createTexts } from "../texts/texts.ts";
import type { CliIo } from "./cli-io.ts";
import type { CliContext } from "./command.ts";
import { commands } from "./commands.ts";
import { writeHelp } from "./commands/help.ts";
import { runCommand } from "./commands/run.ts";
import { globalOptions, readEarlyChoices, verbatimAt } from "./global-options.ts";
import { closedPipeExit, Output, OutputClosed } from "./output.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import { describeFailure, failureJson, failureLines } from "./render/failure.ts";
import { helpLines } from "./render/help.ts";
import { writeUsageRefusal } from "./run/usage-refusal.ts";
import { usageError } from "./usage-error.ts";

export type { CliEvents, CliInput, CliIo, CliSignal, CliStream } from "./cli-io.ts";
export { openProcessIo } from "./process-io.ts";

export interface CliOptions {
  /** Without the program and script names. */
  readonly argv: readonly string[];
  /** Called at most once, and never for help, `--version` or a usage error. */
  readonly door: () => Promise<Door>;
  /** Called by what serves the Model Context Protocol, and by nothing else: nobody waits for its packages who does not need them. */
  readonly mcp: () => Promise<McpServers>;
  readonly io: CliIo;
  /** Absolute, bytes that are not UTF-8 as lone surrogates; undefined when the current directory is gone. */
  readonly cwd: string | undefined;
  /** Absolute; by the user database, not by a variable. */
  readonly home: string;
  /** Our own version, for `--version`. */
  readonly version: string;
  /** The program that starts Glovebox, absolute. */
  readonly launcher: string;
}

/** What may be read before the line is parsed: nothing of a command that reads its words itself. */
function ownWords(argv: readonly string[]): readonly string[] {
  const index = verbatimAt(argv, commands);
  return index === undefined ? argv : argv.slice(0, index + 1);
}

function createContext(options: CliOptions): CliContext {
  const { io, cwd, home, version, launcher } = options;
  const early = readEarlyChoices(ownWords(options.argv), io.env);
  const choice = { env: io.env, isPlain: early.isPlain };
  let door: Promise<Door> | undefined;
  return {
    io,
    get cwd() {
      if (cwd === undefined) throw usageError("usage.no-current-directory");
      if (!cwd.isWellFormed()) throw usageError("usage.not-utf8", { argument: cwd });
      return cwd;
    },
    home,
    version,
    launcher,
    stdout: new Output(io.stdout, choice),
    stderr: new Output(io.stderr, choice),
    text: createTexts(early.language, escapeText),
    language: early.language,
    isJson: early.isJson,
    isPlain: early.isPlain,
    door: () => (door ??= options.door()),
    mcp: options.mcp,
  };
}

/** What names a file or a rule of ours must be text; a command's own arguments, behind the separator, may be any bytes. */
function refuseBrokenText(argv: readonly string[]): void {
  const separator = argv.indexOf("--");
  const broken = argv.slice(0, separator === -1 ? argv.length : separator).find((word) => !word.isWellFormed());
  if (broken !== undefined) throw usageError("usage.not-utf8", { argument: broken });
}

async function dispatch(context: CliContext, argv: readonly string[]): Promise<number> {
  refuseBrokenText(ownWords(argv));
  const line = parseCommandLine(argv, commands);
  if (line.kind === "execute") return line.command.execute(context, { options: line.options, operands: line.operands });
  if (line.kind === "nothing") {
    // A script that lost its arguments must notice.
    await context.stderr.lines(helpLines([], commands, { text: context.text, style: context.stderr.style }));
    return errorTable.USAGE_INVALID.exit;
  }
  if (line.kind === "help") await writeHelp(context, line.words, commands);
  else if (context.isJson) await context.stdout.write(printableJson({ version: context.version }));
  else await context.stdout.line(`glovebox ${context.version}`);
  return 0;
}

async function report(context: CliContext, argv: readonly string[], thrown: unknown): Promise<number> {
  if (thrown instanceof OutputClosed) return closedPipeExit;
  const failure = describeFailure(thrown, context.io.env);
  await writeUsageRefusal(context, ownWords(argv), { failure, options: [...runCommand.options, ...globalOptions] });
  const { text, stdout, stderr } = context;
  if (context.isJson) {
    await stdout.write(printableJson({ error: failureJson(failure, text) }));
    await stderr.lines(failure.trace);
  } else await stderr.lines(failureLines(failure, { text, style: stderr.style }));
  return failure.error.row.exit;
}

/** Resolves with the exit code when everything is written; never rejects. */
export async function runCli(options: CliOptions): Promise<number> {
  const context = createContext(options);
  try {
    return await dispatch(context, options.argv);
  } catch (error) {
    // A second failure here means that nobody can read what we say; the code still tells.
    return report(context, options.argv, error).catch((second: unknown) =>
      second instanceof OutputClosed ? closedPipeExit : describeFailure(error, {}).error.row.exit,
    );
  }
}
