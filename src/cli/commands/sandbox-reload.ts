// `glovebox sandbox reload SANDBOX`: reads the policy of an open sandbox anew, and gives the sandbox its rules about connections.
import type { ReachedBroker, ReloadedRules } from "../../contracts/reached-broker.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { sandboxOperand } from "../sandbox/sandbox-operand.ts";
import { usageError } from "../usage-error.ts";

async function chosen(broker: ReachedBroker, input: CommandInput): Promise<readonly string[]> {
  if (!input.options.has("all")) return [sandboxOperand(input)];
  return (await broker.sandboxes.list()).map(({ sandbox }) => sandbox);
}

async function report({ stdout, stderr, text, isJson }: CliContext, reloaded: readonly ReloadedRules[]): Promise<void> {
  if (isJson) {
    await stdout.write(printableJson({ reloaded }));
    return;
  }
  for (const { sandbox, endedConnections, isPartial } of reloaded) {
    await stdout.line(text({ key: "cli.sandbox-reload.reloaded", values: { sandbox, count: endedConnections } }));
    if (isPartial) await stderr.line(text({ key: "cli.sandbox-reload.partial", values: { sandbox } }));
  }
}

export const sandboxReloadCommand: CliCommand = {
  words: ["sandbox", "reload"],
  summary: "cli.sandbox-reload.summary",
  synopsis: "SANDBOX | --all",
  options: [{ name: "all", about: "cli.option.all-sandboxes" }],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [
    { line: "glovebox sandbox reload s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-reload.example.one" },
    { line: "glovebox sandbox reload --all", about: "cli.sandbox-reload.example.all" },
  ],
  notes: ["cli.sandbox-reload.note-one", "cli.sandbox-reload.note-two"],
  execute: async (context, input) => {
    if (input.options.has("all") === input.operands.length > 0) throw usageError("usage.sandbox-or-all");
    const door = await context.door();
    await using broker = input.options.has("all") ? await door.findBroker() : await door.reachRunningBroker();
    const reloaded: ReloadedRules[] = [];
    if (broker !== undefined) for (const sandbox of await chosen(broker, input)) reloaded.push(await broker.reload(sandbox));
    await report(context, reloaded);
    return 0;
  },
};
