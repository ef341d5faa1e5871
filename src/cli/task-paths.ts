// `TASK [--since CHECKPOINT] [PATH...]`: which task, and which of its changes.
import path from "node:path";
import type { ChangesSelection } from "../contracts/door.ts";
import type { Arguments, CliContext, CommandInput, OptionSpec } from "./command.ts";
import { usageError } from "./usage-error.ts";

/** More paths than a person writes on one line. */
export const taskPathArguments: Arguments = { kind: "operands", minimum: 1, maximum: 1000 };
export const taskPathSynopsis = "TASK [PATH...]";

export const sinceOption: OptionSpec = { name: "since", value: "NUMBER", about: "cli.option.since" };

/** @throws USAGE_INVALID */
function readSince(input: CommandInput): number | undefined {
  const given = input.options.text(sinceOption.name);
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/u.test(given)) throw usageError("usage.not-a-checkpoint", { value: given });
  return Number(given);
}

/** Paths as the host spells them; none means all. */
export function readTaskPaths(context: CliContext, input: CommandInput): ChangesSelection {
  const [task = "", ...named] = input.operands;
  const since = readSince(input);
  return { task, paths: named.map((name) => path.resolve(context.cwd, name)), ...(since === undefined ? {} : { since }) };
}
