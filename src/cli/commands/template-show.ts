// `glovebox template show NAME`: what is in one, by package, and what was taken out of it.
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showBytes } from "../../kit/show-quantity.ts";
import type { CliCommand } from "../command.ts";

export const templateShowCommand: CliCommand = {
  words: ["template", "show"],
  summary: "cli.template-show.summary",
  synopsis: "NAME",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox template show base", about: "cli.template-show.example" }],
  execute: async (context, { operands: [name = ""] }) => {
    const { stdout, text } = context;
    const entry = await (await context.door()).templates.show(name);
    if (context.isJson) await stdout.write(printableJson({ template: entry }));
    else {
      const { id, architecture, built, files, bytes, removed, packages } = entry;
      const values = {
        template: name,
        id,
        architecture: escapeText(architecture),
        date: built.slice(0, 10),
        files,
        size: showBytes(bytes),
      };
      await stdout.lines([
        text({ key: "cli.template-show.about", values }),
        ...removed.map((file) => text({ key: "cli.template-show.removed", values: { file: escapeText(file) } })),
        text({ key: "cli.template-show.packages", values: { count: packages.length } }),
        ...packages.map((line) => `  ${escapeText(line)}`),
      ]);
    }
    return 0;
  },
};
