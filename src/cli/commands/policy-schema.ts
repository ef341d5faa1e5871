// `glovebox policy schema`: the JSON Schema of policy documents, for editors.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";

export const policySchemaCommand: CliCommand = {
  words: ["policy", "schema"],
  summary: "cli.policy-schema.summary",
  synopsis: "",
  options: [],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox policy schema > policy.schema.json", about: "cli.policy-schema.example.plain" }],
  execute: async (context) => {
    await context.stdout.write(printableJson((await context.door()).policySchema()));
    return 0;
  },
};
