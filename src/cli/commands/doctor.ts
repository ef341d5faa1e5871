// `glovebox doctor`: what works on this machine, what is missing with its fix, and what this version does not have yet.
import type { ProbeLine } from "../../contracts/boundary.ts";
import type { DoctorReport } from "../../contracts/door.ts";
import { errorTable } from "../../contracts/error-table.ts";
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { type Cell, tableLines } from "../render/table.ts";

const states = {
  works: { key: "cli.doctor.works", paint: "green" },
  missing: { key: "cli.doctor.missing", paint: "red" },
  "not-built": { key: "cli.doctor.not-built", paint: "dim" },
  incompatible: { key: "cli.doctor.incompatible", paint: "yellow" },
} as const;

const sectionKeys: ReadonlyMap<string, string> = new Map([
  ["process", "cli.doctor.section.process"],
  ["container", "cli.doctor.section.container"],
  ["memory", "cli.doctor.section.memory"],
  ["record", "cli.doctor.section.record"],
  ["incompatible", "cli.doctor.section.incompatible"],
  ["later", "cli.doctor.section.later"],
]);

const labelOf = (line: ProbeLine): string => (line.state === "incompatible" ? "cli.doctor.instead" : "cli.doctor.fix");

function row(line: ProbeLine, context: CliContext): readonly Cell[] {
  const { key, paint } = states[line.state];
  const need = line.state === "missing" && line.required ? `${context.text({ key: "cli.doctor.required" })} ` : "";
  return [{ text: escapeText(line.name) }, { text: context.text({ key }), paint }, { text: `${need}${escapeText(line.detail)}` }];
}

function reportLines(report: DoctorReport, context: CliContext): readonly string[] {
  const { style, columns } = context.stdout;
  const rows = report.sections.flatMap((section) => section.lines.map((line) => row(line, context)));
  // One table for all sections, so that their columns stand under each other.
  const table = tableLines(rows, { style, indent: "  ", columns })[Symbol.iterator]();
  const lines: string[] = [];
  for (const section of report.sections) {
    const key = sectionKeys.get(section.name);
    lines.push(style("bold", key === undefined ? escapeText(section.name) : context.text({ key })));
    for (const line of section.lines) {
      lines.push(table.next().value ?? "");
      // Never cut: it is the line that somebody copies.
      if (line.fix !== undefined) lines.push(`      ${context.text({ key: labelOf(line) })} ${context.text(line.fix)}`);
    }
    lines.push("");
  }
  const verdict = context.text({ key: report.usable ? "cli.doctor.usable" : "cli.doctor.unusable" });
  return [...lines, style(report.usable ? "green" : "red", verdict)];
}

function reportJson(report: DoctorReport, context: CliContext) {
  const fixOf = (line: ProbeLine) =>
    line.fix === undefined ? null : { key: line.fix.key, values: line.fix.values ?? {}, text: context.text(line.fix) };
  return {
    usable: report.usable,
    sections: report.sections.map((section) => ({
      name: section.name,
      lines: section.lines.map((line) => ({ ...line, fix: fixOf(line) })),
    })),
  };
}

export const doctorCommand: CliCommand = {
  words: ["doctor"],
  summary: "cli.doctor.summary",
  synopsis: "",
  options: [],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox doctor", about: "cli.doctor.example.plain" },
    { line: "glovebox doctor --json", about: "cli.doctor.example.json" },
  ],
  execute: async (context) => {
    const report = await (await context.door()).doctor();
    if (context.isJson) await context.stdout.write(printableJson(reportJson(report, context)));
    else await context.stdout.lines(reportLines(report, context));
    return report.usable ? 0 : errorTable.WALL_UNAVAILABLE.exit;
  },
};
