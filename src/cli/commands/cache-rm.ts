// `glovebox cache rm CACHE...`: removes package caches of projects; `--all` those that no task has.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { usageError } from "../usage-error.ts";

export const cacheRmCommand: CliCommand = {
  words: ["cache", "rm"],
  summary: "cli.cache-rm.summary",
  synopsis: "CACHE... | --all",
  options: [{ name: "all", about: "cli.cache-rm.option.all" }],
  arguments: { kind: "operands", minimum: 0, maximum: 1000 },
  examples: [
    { line: "glovebox cache rm c-5f2b0c9d7e1a4f3860b1c2d3e4f5a697", about: "cli.cache-rm.example.one" },
    { line: "glovebox cache rm --all", about: "cli.cache-rm.example.all" },
  ],
  notes: ["cli.cache-rm.note-one", "cli.cache-rm.note-two"],
  execute: async (context, input) => {
    const isAll = input.options.has("all");
    if (isAll === input.operands.length > 0) throw usageError("usage.cache-or-all");
    const { caches } = await context.door();
    const ids = isAll ? (await caches.list()).filter(({ isInUse }) => !isInUse).map(({ id }) => id) : [...new Set(input.operands)];
    const removed = await caches.remove(ids);
    const { stdout, text } = context;
    if (context.isJson) await stdout.write(printableJson({ removed }));
    else await stdout.lines(removed.map((cache) => text({ key: "cli.cache-rm.removed", values: { cache } })));
    return 0;
  },
};
