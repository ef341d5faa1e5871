// `glovebox template ls`: what containers may start from.
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showBytes } from "../../kit/show-quantity.ts";
import type { CliCommand } from "../command.ts";
import { tableLines } from "../render/table.ts";

const shortId = (id: string): string => id.slice(0, "sha256:".length + 16);

export const templateLsCommand: CliCommand = {
  words: ["template", "ls"],
  summary: "cli.template-ls.summary",
  synopsis: "",
  options: [],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox template ls", about: "cli.template-ls.example" }],
  execute: async (context) => {
    const { stdout, stderr, text } = context;
    const templates = await (await context.door()).templates.list();
    if (context.isJson) await stdout.write(printableJson({ templates }));
    else if (templates.length === 0) await stderr.line(text({ key: "cli.template-ls.empty" }));
    else {
      const rows = templates.map(({ name, id, bytes, built, architecture }) => [
        { text: name, paint: "bold" as const },
        { text: showBytes(bytes) },
        { text: escapeText(architecture) },
        { text: built.slice(0, 10) },
        { text: shortId(id) },
      ]);
      await stdout.lines(tableLines(rows, { style: stdout.style, columns: stdout.columns }));
    }
    return 0;
  },
};
