// Whether a command gets a terminal of its own inside.
import type { CliContext, CommandInput, OptionSpec } from "../command.ts";
import { usageError } from "../usage-error.ts";

export const ptyOptions: readonly OptionSpec[] = [
  { name: "pty", about: "cli.option.pty" },
  { name: "no-pty", about: "cli.option.no-pty" },
];

/** A terminal inside when all three of ours are terminals, unless it was said otherwise, the output is for a program, or the terminal is another job's. */
export function wantsPty(context: CliContext, input: CommandInput): boolean {
  if (input.options.has("pty") && input.options.has("no-pty"))
    throw usageError("usage.options-exclude", { option: "--pty", other: "--no-pty" });
  if (input.options.has("pty")) return true;
  if (input.options.has("no-pty") || context.isJson || context.io.isInBackground()) return false;
  return context.stdout.isTerminal && context.stderr.isTerminal && context.io.stdin.isTTY === true;
}
