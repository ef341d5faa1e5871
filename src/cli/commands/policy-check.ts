// `glovebox policy check FILE`: every problem of one document with file, line and key.
import path from "node:path";
import { errorTable } from "../../contracts/error-table.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { projectDirectoryOf, projectOption } from "../policy-selection.ts";
import { problemJson, problemLines } from "../render/problems.ts";

export const policyCheckCommand: CliCommand = {
  words: ["policy", "check"],
  summary: "cli.policy-check.summary",
  synopsis: "FILE",
  options: [projectOption],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox policy check glovebox.yaml", about: "cli.policy-check.example.plain" }],
  execute: async (context, input) => {
    const file = path.resolve(context.cwd, input.operands[0] ?? "");
    const projectDirectory = await projectDirectoryOf(context, input);
    const problems = await (await context.door()).checkPolicyFile(file, projectDirectory);
    const { text, stdout } = context;
    if (context.isJson) {
      const found = problems.map((problem) => problemJson(problem, text));
      await stdout.write(printableJson({ file, isValid: problems.length === 0, problems: found }));
    } else if (problems.length === 0) {
      await stdout.line(text({ key: "cli.policy-check.valid", values: { file } }));
    } else {
      await stdout.lines(problemLines(problems, { text, style: stdout.style }));
      await context.stderr.line(text({ key: "cli.policy-check.invalid", values: { file, count: problems.length } }));
    }
    return problems.length === 0 ? 0 : errorTable.POLICY_SYNTAX.exit;
  },
};
