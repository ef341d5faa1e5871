// `glovebox sandbox pause SANDBOX`: stops what runs in it, until `sandbox resume`; `--all` for every sandbox of this user.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { allSandboxesOption, allSandboxesSynopsis, forChosenSandboxes } from "../sandbox/sandbox-operand.ts";

export const sandboxPauseCommand: CliCommand = {
  words: ["sandbox", "pause"],
  summary: "cli.sandbox-pause.summary",
  synopsis: allSandboxesSynopsis,
  options: [allSandboxesOption],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [{ line: "glovebox sandbox pause s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-pause.example" }],
  notes: ["cli.sandbox-pause.note-one", "cli.sandbox-pause.note-two"],
  execute: async (context, input) => {
    const paused = await forChosenSandboxes(context, input, async (broker, sandbox) => {
      await broker.sandboxes.pause(await broker.access(sandbox));
      return sandbox;
    });
    const { stdout, text, isJson } = context;
    if (isJson) await stdout.write(printableJson({ paused }));
    else await stdout.lines(paused.map((sandbox) => text({ key: "cli.sandbox-pause.done", values: { sandbox } })));
    return 0;
  },
};
