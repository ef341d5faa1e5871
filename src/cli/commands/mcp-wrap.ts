// `glovebox mcp wrap -- SERVER ARGS`: another server of the Model Context Protocol behind the wall, with a policy of its own. Its bytes pass unchanged both
// ways; it ends with us, and we with it.
import type { PolicySelection } from "../../contracts/door.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicyWithFlags } from "../policy-selection.ts";
import { runForPerson } from "../run/run-for-person.ts";
import { policyFlags } from "../run/run-overrides.ts";
import { cwdOption, startDirectory } from "../run/start-directory.ts";

/** What is meant for one command and would end a server in the middle of its work. */
const serverLimits = { wall: "24h", cpuTime: "24h", output: "1TiB" } as const;

/** Only in the place of defaults: what a policy says of them holds. */
async function withServerLimits(context: CliContext, selection: PolicySelection): Promise<PolicySelection> {
  const { valueOrigins } = await (await context.door()).policy(selection);
  const isDefault = (name: string): boolean => (valueOrigins.get(`limits.${name}`) ?? "built-in") === "built-in";
  const limits = Object.fromEntries(Object.entries(serverLimits).filter(([name]) => isDefault(name)));
  const given = selection.overrides?.["limits"];
  return { ...selection, overrides: { ...selection.overrides, limits: { ...(typeof given === "object" ? given : {}), ...limits } } };
}

async function execute(context: CliContext, input: CommandInput): Promise<number> {
  const [server = "", ...rest] = input.operands;
  const cwd = await startDirectory(context, input);
  const policy = await withServerLimits(context, await selectPolicyWithFlags(context, input));
  const request = { policy, argv: [server, ...rest], cwd, callerEnvironment: context.io.env } as const;
  return runForPerson(context, { request, resultFile: undefined, ask: undefined, sheet: "never" });
}

export const mcpWrapCommand: CliCommand = {
  words: ["mcp", "wrap"],
  summary: "cli.mcp-wrap.summary",
  synopsis: "-- SERVER [ARG...]",
  options: [policyOption, presetOption, projectOption, cwdOption, ...policyFlags],
  arguments: { kind: "command" },
  examples: [{ line: "glovebox mcp wrap --preset node --policy files-server.yaml -- npx files-server .", about: "cli.mcp-wrap.example" }],
  notes: ["cli.mcp-wrap.note.policy", "cli.mcp-wrap.note.limits"],
  execute,
};
