// `SANDBOX` on a command line, or `--all` in its place.
import type { ReachedBroker } from "../../contracts/reached-broker.ts";
import type { CliContext, CommandInput, OptionSpec } from "../command.ts";
import { usageError } from "../usage-error.ts";

export const sandboxSynopsis = "SANDBOX";
export const allSandboxesSynopsis = "SANDBOX | --all";
export const allSandboxesOption: OptionSpec = { name: "all", about: "cli.option.all-sandboxes" };

export const sandboxOperand = ({ operands }: CommandInput): string => operands[0] ?? "";

/**
 * Does it to the sandbox that is named, or to every one of this user, one after the other; with `--all` to none where no broker runs.
 * @throws USAGE_INVALID for both or neither, BROKER_UNAVAILABLE for a name where no broker runs
 */
export async function forChosenSandboxes<Done>(
  context: CliContext,
  input: CommandInput,
  act: (broker: ReachedBroker, sandbox: string) => Promise<Done>,
): Promise<readonly Done[]> {
  const isAll = input.options.has(allSandboxesOption.name);
  if (isAll === input.operands.length > 0) throw usageError("usage.sandbox-or-all");
  const door = await context.door();
  await using broker = isAll ? await door.findBroker() : await door.reachRunningBroker();
  if (broker === undefined) return [];
  const sandboxes = isAll ? (await broker.sandboxes.list()).map(({ sandbox }) => sandbox) : [sandboxOperand(input)];
  const done: Done[] = [];
  for (const sandbox of sandboxes) done.push(await act(broker, sandbox));
  return done;
}
