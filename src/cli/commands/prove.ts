// `glovebox prove`: the answer sheet, proved by probes inside a sandbox under this policy and by what the host saw.
import { errorTable } from "../../contracts/error-table.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicy } from "../policy-selection.ts";
import { proofReportJson, proofReportLines } from "../render/proof.ts";

export const proveCommand: CliCommand = {
  words: ["prove"],
  summary: "cli.prove.summary",
  synopsis: "",
  options: [policyOption, presetOption, projectOption],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox prove", about: "cli.prove.example.plain" },
    { line: "glovebox prove --policy strict.yaml", about: "cli.prove.example.file" },
    { line: "glovebox prove --json", about: "cli.prove.example.json" },
  ],
  notes: ["cli.prove.note.ground", "cli.prove.note.elsewhere", "cli.prove.note.exit"],
  execute: async (context, input) => {
    const selection = await selectPolicy(context, input);
    const report = await (await context.door()).prove(selection);
    const { text, stdout } = context;
    if (context.isJson) await stdout.write(printableJson(proofReportJson(report, text)));
    else await stdout.lines(proofReportLines(report, { text, style: stdout.style }));
    return report.holds ? 0 : errorTable.WALL_UNAVAILABLE.exit;
  },
};
