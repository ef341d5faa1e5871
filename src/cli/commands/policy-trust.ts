// `glovebox policy trust`: lets the project's policy widen, until its file changes.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { projectDirectoryOf, projectOption } from "../policy-selection.ts";

export const policyTrustCommand: CliCommand = {
  words: ["policy", "trust"],
  summary: "cli.policy-trust.summary",
  synopsis: "",
  options: [projectOption],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox policy trust", about: "cli.policy-trust.example.plain" }],
  notes: ["cli.policy-trust.note"],
  execute: async (context, input) => {
    const projectDirectory = await projectDirectoryOf(context, input);
    const { file, digest } = await (await context.door()).trustPolicy(projectDirectory);
    if (context.isJson) await context.stdout.write(printableJson({ file, digest }));
    else await context.stdout.line(context.text({ key: "cli.policy-trust.done", values: { file, digest } }));
    return 0;
  },
};
