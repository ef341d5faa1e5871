// `glovebox artifact verify TASK`: whether the files that it handed back are those that were recorded.
import type { ArtifactCheck } from "../../contracts/artifacts.ts";
import { wellFormedByteText } from "../../kit/byte-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";

/** As `ledger verify`: altered before missing. */
const exits = { good: 0, altered: 1, gone: 4 } as const;

function exitOf(checks: readonly ArtifactCheck[]): number {
  const states = new Set(checks.map(({ state }) => state));
  return states.has("altered") ? exits.altered : states.has("gone") ? exits.gone : exits.good;
}

const fileKeys = { good: "cli.artifact-verify.good", altered: "cli.artifact-verify.altered" } as const;
const allKeys = { altered: "cli.artifact-verify.all-altered", gone: "cli.artifact-verify.all-gone" } as const;

function lineOf({ text }: CliContext, check: ArtifactCheck): string {
  const { action } = check;
  if (check.name === undefined) return text({ key: allKeys[check.state], values: { action } });
  return text({ key: fileKeys[check.state], values: { action, name: wellFormedByteText(check.name) } });
}

export const artifactVerifyCommand: CliCommand = {
  words: ["artifact", "verify"],
  summary: "cli.artifact-verify.summary",
  synopsis: "TASK",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox artifact verify t-0193f0c2a1b2-4d5e6f708192", about: "cli.artifact-verify.example" }],
  notes: ["cli.artifact-verify.note"],
  execute: async (context, { operands: [task = ""] }) => {
    const checks = await (await context.door()).artifacts.verify(task);
    const exit = exitOf(checks);
    if (context.isJson) await context.stdout.write(printableJson({ task, exit, checks }));
    else if (checks.length === 0) await context.stderr.line(context.text({ key: "cli.artifact-ls.empty", values: { task } }));
    else await context.stdout.lines(checks.map((check) => lineOf(context, check)));
    return exit;
  },
};
