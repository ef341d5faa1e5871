// `glovebox sandbox close SANDBOX`: ends everything in it and leaves nothing; `--all` for every sandbox of this user.
import type { SandboxEnd } from "../../contracts/sandbox-door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { allSandboxesOption, allSandboxesSynopsis, forChosenSandboxes } from "../sandbox/sandbox-operand.ts";

/** The same for one that was killed. */
export async function reportEnds({ stdout, stderr, text, isJson }: CliContext, ends: readonly SandboxEnd[]): Promise<void> {
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
  synopsis: allSandboxesSynopsis,
  options: [allSandboxesOption],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [
    { line: "glovebox sandbox close s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-close.example.one" },
    { line: "glovebox sandbox close --all", about: "cli.sandbox-close.example.all" },
  ],
  execute: async (context, input) => {
    await reportEnds(
      context,
      await forChosenSandboxes(context, input, async (broker, sandbox) => broker.sandboxes.end(await broker.access(sandbox))),
    );
    return 0;
  },
};
