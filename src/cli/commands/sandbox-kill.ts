// `glovebox sandbox kill SANDBOX`: ends everything in it at once, without asking it; `--all` for every sandbox of this user.
import type { CliCommand } from "../command.ts";
import { allSandboxesOption, allSandboxesSynopsis, forChosenSandboxes } from "../sandbox/sandbox-operand.ts";
import { reportEnds } from "./sandbox-close.ts";

export const sandboxKillCommand: CliCommand = {
  words: ["sandbox", "kill"],
  summary: "cli.sandbox-kill.summary",
  synopsis: allSandboxesSynopsis,
  options: [allSandboxesOption],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [{ line: "glovebox sandbox kill s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-kill.example" }],
  execute: async (context, input) => {
    const ends = await forChosenSandboxes(context, input, async (broker, sandbox) => broker.sandboxes.kill(await broker.access(sandbox)));
    await reportEnds(context, ends);
    return 0;
  },
};
