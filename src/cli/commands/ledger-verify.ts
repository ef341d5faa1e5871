// `glovebox ledger verify`: checks every record and signature; the exit code says what is wrong.
import path from "node:path";
import type { VerifyReport } from "../../contracts/door.ts";
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";

const verdicts = {
  0: "cli.ledger-verify.ok",
  1: "cli.ledger-verify.altered",
  2: "cli.ledger-verify.truncated",
  3: "cli.ledger-verify.unknown-key",
  4: "cli.ledger-verify.gap",
  5: "cli.ledger-verify.recovered",
  6: "cli.ledger-verify.unreadable",
} as const;

function findingText(finding: VerifyReport["findings"][number], context: CliContext): string {
  return context.text({ key: `ledger.finding.${finding.situation}`, values: finding.values });
}

const isOnlyAbsent = (report: VerifyReport): boolean => report.findings.length === 1 && report.findings[0]?.situation === "no-ledger";

/** Before the first run there is nothing that could be wrong; a named directory or key says that there should be something. */
function withoutOwnAbsence(report: VerifyReport, input: CommandInput): VerifyReport {
  const isOwn = !input.options.has("directory") && !input.options.has("public-key");
  return isOwn && isOnlyAbsent(report) ? { ...report, exit: 0, findings: [] } : report;
}

function verdictKey(report: VerifyReport): string {
  if (isOnlyAbsent(report)) return "cli.ledger-verify.absent";
  return report.exit === 0 && report.records === 0 ? "cli.ledger-verify.not-begun" : verdicts[report.exit];
}

function reportLines(report: VerifyReport, context: CliContext): readonly string[] {
  const { style } = context.stdout;
  const { records, treeHeads, root } = report;
  const findings = report.findings.map((finding) => {
    const place = finding.segment === "" ? "" : `${escapeText(finding.segment)}: `;
    return `  ${place}${findingText(finding, context)}`;
  });
  const paint = report.exit === 0 ? "green" : report.exit === 5 ? "yellow" : "red";
  const counts =
    records === 0 && treeHeads === 0 ? [] : [context.text({ key: "cli.ledger-verify.counts", values: { records, treeHeads, root } })];
  return [style(paint, context.text({ key: verdictKey(report) })), ...counts, ...findings];
}

/** Files are named against the caller's directory. */
function verifyOptions(context: CliContext, input: CommandInput) {
  const directory = input.options.text("directory");
  const publicKey = input.options.text("public-key");
  return {
    ...(directory === undefined ? {} : { directory: path.resolve(context.cwd, directory) }),
    ...(publicKey === undefined ? {} : { publicKeyFile: path.resolve(context.cwd, publicKey) }),
  };
}

export const ledgerVerifyCommand: CliCommand = {
  words: ["ledger", "verify"],
  summary: "cli.ledger-verify.summary",
  synopsis: "",
  options: [
    { name: "directory", value: "D", about: "cli.option.directory" },
    { name: "public-key", value: "F", about: "cli.option.public-key" },
  ],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox ledger verify", about: "cli.ledger-verify.example.plain" },
    { line: "glovebox ledger verify --directory backup --public-key sign.pub", about: "cli.ledger-verify.example.copy" },
  ],
  notes: ["cli.ledger-verify.note"],
  execute: async (context, input) => {
    const report = withoutOwnAbsence(await (await context.door()).verify(verifyOptions(context, input)), input);
    if (context.isJson) {
      const findings = report.findings.map((finding) => ({ ...finding, text: findingText(finding, context) }));
      await context.stdout.write(printableJson({ ...report, findings }));
    } else await context.stdout.lines(reportLines(report, context));
    return report.exit;
  },
};
