// `glovebox checklist`: ten points about running an agent's commands, each with evidence made now.
import type { Checklist, ChecklistPoint } from "../../contracts/proof.ts";
import { errorTable } from "../../contracts/error-table.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicy } from "../policy-selection.ts";

const verdicts = {
  held: { key: "cli.checklist.held", paint: "green" },
  "not-held": { key: "cli.checklist.not-held", paint: "red" },
  "not-built": { key: "cli.checklist.not-built", paint: "yellow" },
} as const satisfies Record<ChecklistPoint["verdict"], unknown>;

function pointLines({ number, title, verdict, evidence }: ChecklistPoint, { text, stdout }: CliContext): readonly string[] {
  const { key, paint } = verdicts[verdict];
  const heading = `${String(number).padStart(2)}. ${stdout.style(paint, text({ key }))} ${stdout.style("bold", text(title))}`;
  return [heading, ...evidence.map((line) => `      - ${text(line)}`)];
}

function lines(report: Checklist, context: CliContext): readonly string[] {
  const count = (verdict: ChecklistPoint["verdict"]): number => report.points.filter((point) => point.verdict === verdict).length;
  const values = { held: count("held"), notHeld: count("not-held"), notBuilt: count("not-built") };
  const end = context.text({ key: "cli.checklist.count", values });
  return [...report.points.flatMap((point) => pointLines(point, context)), "", context.stdout.style(report.holds ? "green" : "red", end)];
}

function document(report: Checklist, { text }: CliContext) {
  const points = report.points.map(({ title, evidence, ...point }) => ({
    ...point,
    title: text(title),
    evidence: evidence.map((line) => ({ key: line.key, values: line.values ?? {}, text: text(line) })),
  }));
  return { ...report, points };
}

export const checklistCommand: CliCommand = {
  words: ["checklist"],
  summary: "cli.checklist.summary",
  synopsis: "",
  options: [policyOption, presetOption, projectOption],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox checklist", about: "cli.checklist.example.plain" },
    { line: "glovebox checklist --json", about: "cli.checklist.example.json" },
  ],
  notes: ["cli.checklist.note.probes", "cli.checklist.note.exit"],
  execute: async (context, input) => {
    const selection = await selectPolicy(context, input);
    const report = await (await context.door()).checklist(selection);
    if (context.isJson) await context.stdout.write(printableJson(document(report, context)));
    else await context.stdout.lines(lines(report, context));
    return report.holds ? 0 : errorTable.WALL_UNAVAILABLE.exit;
  },
};
