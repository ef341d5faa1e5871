// `glovebox sandbox reload SANDBOX`: reads the policy of an open sandbox anew, and gives the sandbox its rules about connections.
import type { ReloadedRules } from "../../contracts/reached-broker.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { allSandboxesOption, allSandboxesSynopsis, forChosenSandboxes } from "../sandbox/sandbox-operand.ts";

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
  synopsis: allSandboxesSynopsis,
  options: [allSandboxesOption],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [
    { line: "glovebox sandbox reload s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-reload.example.one" },
    { line: "glovebox sandbox reload --all", about: "cli.sandbox-reload.example.all" },
  ],
  notes: ["cli.sandbox-reload.note-one", "cli.sandbox-reload.note-two"],
  execute: async (context, input) => {
    await report(context, await forChosenSandboxes(context, input, (broker, sandbox) => broker.reload(sandbox)));
    return 0;
  },
};
