// `glovebox undo TASK [PATH...]`: puts files back as they were before a task.
import type { UndoRefusal } from "../../contracts/changes.ts";
import { wellFormedByteText } from "../../kit/byte-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { readTaskPaths, sinceOption, taskPathArguments, taskPathSynopsis } from "../task-paths.ts";

const partialOption = { name: "partial", about: "cli.undo.option.partial" } as const;

const refusedKeys: Readonly<Record<UndoRefusal, string>> = {
  edited: "cli.undo.refused.edited",
  notKept: "cli.undo.refused.not-kept",
  notEmpty: "cli.undo.refused.not-empty",
  parent: "cli.undo.refused.parent",
};

export const undoCommand: CliCommand = {
  words: ["undo"],
  summary: "cli.undo.summary",
  synopsis: taskPathSynopsis,
  options: [sinceOption, partialOption],
  arguments: taskPathArguments,
  examples: [
    { line: "glovebox undo t-0193f0c2a1b2-4d5e6f708192", about: "cli.undo.example.all" },
    { line: "glovebox undo t-0193f0c2a1b2-4d5e6f708192 package.json", about: "cli.undo.example.path" },
    { line: "glovebox undo t-0193f0c2a1b2-4d5e6f708192 --since 2", about: "cli.undo.example.since" },
    { line: "glovebox undo t-0193f0c2a1b2-4d5e6f708192 --partial", about: "cli.undo.example.partial" },
  ],
  notes: ["cli.undo.note-one", "cli.undo.note-two", "cli.undo.note-three"],
  execute: async (context, input) => {
    const chosen = readTaskPaths(context, input);
    const report = await (await context.door()).undo({ ...chosen, isPartial: input.options.has(partialOption.name) });
    const { stdout, text } = context;
    if (context.isJson) await stdout.write(printableJson(report));
    else {
      const shown = (key: string, file: string): string => text({ key, values: { path: wellFormedByteText(file) } });
      await stdout.lines([
        ...report.restored.map((file) => shown("cli.undo.restored", file)),
        ...report.refused.map(({ path: file, why }) => stdout.style("yellow", shown(refusedKeys[why], file))),
        text({
          key: "cli.undo.total",
          values: { restored: report.restored.length, unchanged: report.unchanged.length, refused: report.refused.length },
        }),
      ]);
    }
    return 0;
  },
};
