// `glovebox sandbox close SANDBOX`: ends everything in it and leaves nothing; `--all` for every sandbox of this user.
import type { ReachedBroker } from "../../contracts/reached-broker.ts";
import type { SandboxEnd } from "../../contracts/sandbox-door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { sandboxOperand } from "../sandbox/sandbox-operand.ts";
import { usageError } from "../usage-error.ts";

async function chosen(broker: ReachedBroker, input: CommandInput): Promise<readonly string[]> {
  if (!input.options.has("all")) return [sandboxOperand(input)];
  return (await broker.sandboxes.list()).map(({ sandbox }) => sandbox);
}

async function report({ stdout, stderr, text, isJson }: CliContext, ends: readonly SandboxEnd[]): Promise<void> {
  if (isJson) {
    await stdout.write(printableJson({ closed: ends }));
    return;
  }
  for (const { sandbox, task, changes, refusedConnections } of ends) {
    const counts = { created: 0, changed: 0, deleted: 0, ...changes?.counts };
    const { created, changed, deleted } = counts;
    await stderr.line(text({ key: "cli.sandbox-close.closed", values: { sandbox, task, created, changed, deleted } }));
    await stderr.lines(refusedConnections.map((line) => text(line)));
  }
}

export const sandboxCloseCommand: CliCommand = {
  words: ["sandbox", "close"],
  summary: "cli.sandbox-close.summary",
  synopsis: "SANDBOX | --all",
  options: [{ name: "all", about: "cli.option.all-sandboxes" }],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [
    { line: "glovebox sandbox close s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-close.example.one" },
    { line: "glovebox sandbox close --all", about: "cli.sandbox-close.example.all" },
  ],
  execute: async (context, input) => {
    if (input.options.has("all") === input.operands.length > 0) throw usageError("usage.sandbox-or-all");
    const door = await context.door();
    await using broker = input.options.has("all") ? await door.findBroker() : await door.reachRunningBroker();
    const ends: SandboxEnd[] = [];
    if (broker !== undefined)
      for (const sandbox of await chosen(broker, input)) ends.push(await broker.sandboxes.end(await broker.access(sandbox)));
    await report(context, ends);
    return 0;
  },
};
