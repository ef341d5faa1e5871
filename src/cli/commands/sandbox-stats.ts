// `glovebox sandbox stats SANDBOX`: what it has and has used of processors, memory, processes and disk; `--all` for every sandbox of this user.
import type { SandboxUse } from "../../contracts/sandbox-door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showBytes, showDuration } from "../../kit/show-quantity.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { type Cell, tableLines } from "../render/table.ts";
import { allSandboxesOption, allSandboxesSynopsis, forChosenSandboxes } from "../sandbox/sandbox-operand.ts";

function rowOf({ text }: CliContext, use: SandboxUse): readonly Cell[] {
  const { sandbox, isPaused, processes, cpuMs, memoryBytes, peakMemoryBytes = 0, privateBytes } = use;
  const unseen: Cell = { text: "-" };
  const memory = { now: showBytes(memoryBytes ?? 0), peak: showBytes(peakMemoryBytes) };
  return [
    { text: sandbox, paint: "bold" },
    cpuMs === undefined ? unseen : { text: text({ key: "cli.sandbox-stats.cpu", values: { time: showDuration(cpuMs) } }) },
    memoryBytes === undefined ? unseen : { text: text({ key: "cli.sandbox-stats.memory", values: memory }) },
    { text: text({ key: "cli.sandbox-stats.processes", values: { count: processes } }) },
    privateBytes === undefined ? unseen : { text: text({ key: "cli.sandbox-stats.disk", values: { bytes: showBytes(privateBytes) } }) },
    { text: isPaused ? text({ key: "cli.sandbox-ls.paused" }) : "" },
  ];
}

export const sandboxStatsCommand: CliCommand = {
  words: ["sandbox", "stats"],
  summary: "cli.sandbox-stats.summary",
  synopsis: allSandboxesSynopsis,
  options: [allSandboxesOption],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [
    { line: "glovebox sandbox stats s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-stats.example.one" },
    { line: "glovebox sandbox stats --all --json", about: "cli.sandbox-stats.example.all" },
  ],
  notes: ["cli.sandbox-stats.note"],
  execute: async (context, input) => {
    const uses = await forChosenSandboxes(context, input, async (broker, sandbox) => broker.sandboxes.stats(await broker.access(sandbox)));
    const { stdout, isJson } = context;
    if (isJson) await stdout.write(printableJson({ sandboxes: uses }));
    else
      await stdout.lines(
        tableLines(
          uses.map((use) => rowOf(context, use)),
          { style: stdout.style, columns: stdout.columns },
        ),
      );
    return 0;
  },
};
