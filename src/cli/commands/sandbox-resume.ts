// `glovebox sandbox resume SANDBOX`: lets go on what `sandbox pause` stopped; `--all` for every sandbox of this user.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { allSandboxesOption, allSandboxesSynopsis, forChosenSandboxes } from "../sandbox/sandbox-operand.ts";

export const sandboxResumeCommand: CliCommand = {
  words: ["sandbox", "resume"],
  summary: "cli.sandbox-resume.summary",
  synopsis: allSandboxesSynopsis,
  options: [allSandboxesOption],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [{ line: "glovebox sandbox resume s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-resume.example" }],
  execute: async (context, input) => {
    const resumed = await forChosenSandboxes(context, input, async (broker, sandbox) => {
      await broker.sandboxes.resume(await broker.access(sandbox));
      return sandbox;
    });
    const { stdout, text, isJson } = context;
    if (isJson) await stdout.write(printableJson({ resumed }));
    else await stdout.lines(resumed.map((sandbox) => text({ key: "cli.sandbox-resume.done", values: { sandbox } })));
    return 0;
  },
};
