// `glovebox template rm NAME...`: removes templates that no task has.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";

export const templateRmCommand: CliCommand = {
  words: ["template", "rm"],
  summary: "cli.template-rm.summary",
  synopsis: "NAME...",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 100 },
  examples: [{ line: "glovebox template rm base", about: "cli.template-rm.example" }],
  execute: async (context, { operands }) => {
    const { stdout, text } = context;
    const removed = await (await context.door()).templates.remove([...new Set(operands)]);
    if (context.isJson) await stdout.write(printableJson({ removed }));
    else await stdout.lines(removed.map((template) => text({ key: "cli.template-rm.removed", values: { template } })));
    return 0;
  },
};
