// `glovebox sandbox prune`: removes what should be gone: sandboxes whose time or idle time is over, and what tasks left whose broker is gone.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";

const dryOption = { name: "dry-run", about: "cli.sandbox-prune.option.dry-run" } as const;

interface Pruned {
  readonly task: string;
  readonly sandbox?: string | undefined;
  readonly reason: "expired" | "idle" | "orphaned";
}

const reasonKeys: Readonly<Record<Pruned["reason"], string>> = {
  expired: "cli.sandbox-prune.expired",
  idle: "cli.sandbox-prune.idle",
  orphaned: "cli.sandbox-prune.orphaned",
};

async function prune(context: CliContext, isDry: boolean): Promise<readonly Pruned[]> {
  const door = await context.door();
  const orphaned = (await door.pruneTasks({ isDry })).map((task) => ({ ...task, reason: "orphaned" as const }));
  await using broker = await door.findBroker();
  return [...orphaned, ...((await broker?.sandboxes.prune({ isDry })) ?? [])];
}

export const sandboxPruneCommand: CliCommand = {
  words: ["sandbox", "prune"],
  summary: "cli.sandbox-prune.summary",
  synopsis: "",
  options: [dryOption],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox sandbox prune --dry-run", about: "cli.sandbox-prune.example.dry-run" },
    { line: "glovebox sandbox prune", about: "cli.sandbox-prune.example.plain" },
  ],
  notes: ["cli.sandbox-prune.note"],
  execute: async (context, { options }) => {
    const isDry = options.has(dryOption.name);
    const pruned = await prune(context, isDry);
    const { stdout, stderr, text, isJson } = context;
    if (isJson) await stdout.write(printableJson({ isDryRun: isDry, sandboxes: pruned }));
    else if (pruned.length === 0) await stderr.line(text({ key: "cli.sandbox-prune.nothing" }));
    else {
      await stdout.lines(pruned.map(({ task, sandbox = "-", reason }) => text({ key: reasonKeys[reason], values: { task, sandbox } })));
      await stderr.line(text({ key: isDry ? "cli.sandbox-prune.would" : "cli.sandbox-prune.done", values: { count: pruned.length } }));
    }
    return 0;
  },
};
