// `--input PATH`: what of the host the sandbox gets copies of, at INPUT_DIR.
import path from "node:path";
import type { CliContext, CommandInput, OptionSpec } from "../command.ts";

export const inputOption: OptionSpec = { name: "input", value: "PATH", isRepeatable: true, about: "cli.option.input" };

export function givenInputs(context: CliContext, { options }: CommandInput): { readonly inputs?: readonly string[] } {
  const named = options.list(inputOption.name);
  return named.length === 0 ? {} : { inputs: named.map((name) => path.resolve(context.cwd, name)) };
}
