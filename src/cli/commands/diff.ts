// `glovebox diff TASK [PATH...]`: what a task changed in its write roots.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { readTaskPaths, sinceOption, taskPathArguments, taskPathSynopsis } from "../task-paths.ts";
import { diffLines, statLines } from "../render/diff.ts";

const statOption = { name: "stat", about: "cli.diff.option.stat" } as const;

export const diffCommand: CliCommand = {
  words: ["diff"],
  summary: "cli.diff.summary",
  synopsis: taskPathSynopsis,
  options: [sinceOption, statOption],
  arguments: taskPathArguments,
  examples: [
    { line: "glovebox diff t-0193f0c2a1b2-4d5e6f708192", about: "cli.diff.example.all" },
    { line: "glovebox diff t-0193f0c2a1b2-4d5e6f708192 --stat", about: "cli.diff.example.stat" },
    { line: "glovebox diff t-0193f0c2a1b2-4d5e6f708192 src", about: "cli.diff.example.path" },
  ],
  notes: ["cli.diff.note-one", "cli.diff.note-two", "cli.diff.note-three"],
  execute: async (context, input) => {
    const chosen = readTaskPaths(context, input);
    const isBrief = input.options.has(statOption.name);
    const found = await (await context.door()).diff({ ...chosen, isBrief });
    const { stdout, text } = context;
    if (context.isJson) await stdout.write(printableJson(found));
    else await stdout.lines((isBrief ? statLines : diffLines)(found, { text, style: stdout.style, cwd: context.cwd }));
    return 0;
  },
};
