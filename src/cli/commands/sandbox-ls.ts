// `glovebox sandbox ls`: the open sandboxes of this user, and what runs in them.
import { expiresSoon, type SandboxLine } from "../../contracts/sandbox-door.ts";
import { escapeText, quoteArgument } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showDuration } from "../../kit/show-quantity.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { type Cell, tableLines } from "../render/table.ts";

function rowsOf({ text }: CliContext, line: SandboxLine, nowMs: number): readonly (readonly Cell[])[] {
  const expires = showDuration(Math.max(0, line.expiresAtMs - nowMs));
  const head: readonly Cell[] = [
    { text: line.sandbox, paint: "bold" },
    { text: text({ key: line.isPaused ? "cli.sandbox-ls.paused-expires" : "cli.sandbox-ls.expires", values: { expires } }) },
    { text: escapeText(line.projectDirectory) },
  ];
  const states = {
    running: "cli.sandbox-ls.running",
    "left-running": "cli.sandbox-ls.left-running",
    ended: "cli.sandbox-ls.ended",
  } as const;
  const commands = line.commands.map(({ action, argv, state, exitCode }): readonly Cell[] => [
    { text: `  ${action}` },
    { text: text({ key: states[state], values: { code: exitCode ?? 0 } }) },
    { text: argv.map(quoteArgument).join(" ") },
  ]);
  return [head, ...commands];
}

/** What ends with it, and soon. */
function leftLines({ text }: CliContext, line: SandboxLine, nowMs: number): readonly string[] {
  const { sandbox, leftBehind, expiresAtMs } = line;
  if (leftBehind === undefined || leftBehind.count === 0 || !expiresSoon(line, nowMs)) return [];
  const expires = showDuration(Math.max(0, expiresAtMs - nowMs));
  return [text({ key: "cli.sandbox-exec.left-behind", values: { sandbox, expires, count: leftBehind.count } })];
}

export const sandboxLsCommand: CliCommand = {
  words: ["sandbox", "ls"],
  summary: "cli.sandbox-ls.summary",
  synopsis: "",
  options: [],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox sandbox ls", about: "cli.sandbox-ls.example" }],
  execute: async (context) => {
    await using broker = await (await context.door()).findBroker();
    const lines = broker === undefined ? [] : await broker.sandboxes.list();
    const { stdout, stderr, text } = context;
    const rows = lines.flatMap((line) => rowsOf(context, line, Date.now()));
    if (context.isJson) await stdout.write(printableJson({ sandboxes: lines }));
    else if (rows.length === 0) await stderr.line(text({ key: "cli.sandbox-ls.empty" }));
    else {
      await stdout.lines(tableLines(rows, { style: stdout.style, columns: stdout.columns }));
      await stderr.lines(lines.flatMap((line) => leftLines(context, line, Date.now())));
    }
    return 0;
  },
};
