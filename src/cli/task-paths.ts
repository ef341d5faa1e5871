// `TASK [PATH...]`: which task, and which of its changes.
import path from "node:path";
import type { Arguments, CliContext, CommandInput } from "./command.ts";

/** More paths than a person writes on one line. */
export const taskPathArguments: Arguments = { kind: "operands", minimum: 1, maximum: 1000 };
export const taskPathSynopsis = "TASK [PATH...]";

/** Paths as the host spells them; none means all. */
export function readTaskPaths(context: CliContext, input: CommandInput): { readonly task: string; readonly paths: readonly string[] } {
  const [task = "", ...named] = input.operands;
  return { task, paths: named.map((name) => path.resolve(context.cwd, name)) };
}
