// `glovebox setup`: done by the start script before this program runs; whoever gets here is set up.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";

export const setupCommand: CliCommand = {
  words: ["setup"],
  summary: "cli.setup.summary",
  synopsis: "",
  options: [],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox setup", about: "cli.setup.example.ask" },
    { line: "glovebox --yes setup", about: "cli.setup.example.yes" },
  ],
  execute: async (context) => {
    if (context.isJson) await context.stdout.write(printableJson({ isSetUp: true }));
    else await context.stdout.line(context.text({ key: "cli.setup.done" }));
    return 0;
  },
};
