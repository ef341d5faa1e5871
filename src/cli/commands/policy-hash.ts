// `glovebox policy hash`: the hash that identifies the policy that applies.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicy } from "../policy-selection.ts";

export const policyHashCommand: CliCommand = {
  words: ["policy", "hash"],
  summary: "cli.policy-hash.summary",
  synopsis: "",
  options: [policyOption, presetOption, projectOption],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox policy hash --policy strict.yaml", about: "cli.policy-hash.example.plain" }],
  execute: async (context, input) => {
    const selection = await selectPolicy(context, input);
    const { hash } = await (await context.door()).policy(selection);
    if (context.isJson) await context.stdout.write(printableJson({ hash }));
    else await context.stdout.line(hash);
    return 0;
  },
};
