// `--cwd`: where a command starts, as a place without links.
import path from "node:path";
import type { CliContext, CommandInput, OptionSpec } from "../command.ts";
import { realDirectory } from "./real-directory.ts";

export const cwdOption: OptionSpec = { name: "cwd", value: "DIR", about: "cli.option.cwd" };

/** @throws USAGE_INVALID like realDirectory */
export function startDirectory(context: CliContext, input: CommandInput): Promise<string> {
  return realDirectory(path.resolve(context.cwd, input.options.text("cwd") ?? "."));
}
