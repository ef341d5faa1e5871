// `glovebox cache ls`: the package caches of projects that tasks share.
import type { CacheEntry } from "../../contracts/cache-door.ts";
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showBytes } from "../../kit/show-quantity.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { type Cell, tableLines } from "../render/table.ts";

const rowOf = ({ text }: CliContext, { id, project, bytes, lastUsed, isInUse }: CacheEntry): readonly Cell[] => [
  { text: id, paint: "bold" },
  { text: showBytes(bytes) },
  { text: text(isInUse ? { key: "cli.cache-ls.in-use" } : { key: "cli.cache-ls.last-used", values: { date: lastUsed.slice(0, 10) } }) },
  { text: project === undefined ? text({ key: "cli.cache-ls.unknown" }) : escapeText(project) },
];

export const cacheLsCommand: CliCommand = {
  words: ["cache", "ls"],
  summary: "cli.cache-ls.summary",
  synopsis: "",
  options: [],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox cache ls", about: "cli.cache-ls.example" }],
  execute: async (context) => {
    const caches = await (await context.door()).caches.list();
    const { stdout, stderr, text } = context;
    if (context.isJson) await stdout.write(printableJson({ caches }));
    else if (caches.length === 0) await stderr.line(text({ key: "cli.cache-ls.empty" }));
    else
      await stdout.lines(
        tableLines(
          caches.map((entry) => rowOf(context, entry)),
          { style: stdout.style, columns: stdout.columns },
        ),
      );
    return 0;
  },
};
