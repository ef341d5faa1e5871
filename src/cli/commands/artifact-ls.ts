// `glovebox artifact ls TASK`: the files that its commands handed back, and what was not.
import type { Artifact, CommandArtifacts, NotHandedBack } from "../../contracts/artifacts.ts";
import { wellFormedByteText } from "../../kit/byte-text.ts";
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showBytes } from "../../kit/show-quantity.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { type Cell, tableLines } from "../render/table.ts";

const shownName = (name: string): string => escapeText(wellFormedByteText(name));

const rowOf = ({ name, bytes, mediaType, sha256 }: Artifact): readonly Cell[] => [
  { text: shownName(name), paint: "bold" },
  { text: showBytes(bytes) },
  { text: mediaType },
  { text: `sha256:${sha256}`, paint: "dim" },
];

const reasons: Readonly<Record<NotHandedBack["why"], string>> = {
  kind: "cli.artifact-ls.kind",
  unreadable: "cli.artifact-ls.unreadable",
  tooLarge: "cli.artifact-ls.too-large",
};

function otherLine({ text }: CliContext, { name, kind, bytes, why }: NotHandedBack): string {
  return text({ key: reasons[why], values: { name: wellFormedByteText(name), kind, bytes: showBytes(bytes) } });
}

/** One command. */
export async function showCommandArtifacts(
  context: CliContext,
  { action, artifacts, others, missed, isWhole, keptUntil }: CommandArtifacts,
): Promise<void> {
  const { stdout, stderr, text } = context;
  await stderr.line(stderr.style("dim", text({ key: "cli.artifact-ls.command", values: { action, until: keptUntil } })));
  await stdout.lines(tableLines(artifacts.map(rowOf), { style: stdout.style, columns: stdout.columns }));
  await stderr.lines(others.map((other) => otherLine(context, other)));
  if (missed > 0) await stderr.line(text({ key: "cli.artifact-ls.missed", values: { count: missed } }));
  if (!isWhole) await stderr.line(text({ key: "cli.artifact-ls.broken" }));
}

export const artifactLsCommand: CliCommand = {
  words: ["artifact", "ls"],
  summary: "cli.artifact-ls.summary",
  synopsis: "TASK",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox artifact ls t-0193f0c2a1b2-4d5e6f708192", about: "cli.artifact-ls.example" }],
  notes: ["cli.artifact-ls.note"],
  execute: async (context, { operands: [task = ""] }) => {
    const commands = await (await context.door()).artifacts.list(task);
    if (context.isJson) await context.stdout.write(printableJson({ task, untrusted: true, commands }));
    else if (commands.length === 0) await context.stderr.line(context.text({ key: "cli.artifact-ls.empty", values: { task } }));
    else for (const command of commands) await showCommandArtifacts(context, command);
    return 0;
  },
};
