// `glovebox policy pss FILE`: a Kubernetes manifest or an OCI runtime spec by the Pod Security Standards, each violation with a patch.
import path from "node:path";
import { errorTable } from "../../contracts/error-table.ts";
import { type PodSecurityLevel, podSecurityLevels } from "../../contracts/pod-security.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CommandInput } from "../command.ts";
import { podSecurityJson, podSecurityLines, violationCount } from "../render/pod-security.ts";
import { usageError } from "../usage-error.ts";

function levelOf({ options }: CommandInput): PodSecurityLevel {
  const given = options.text("level") ?? "restricted";
  const level = podSecurityLevels.find((name) => name === given);
  if (level === undefined) throw usageError("usage.pss-level", { value: given, choices: podSecurityLevels.join(", ") });
  return level;
}

export const policyPssCommand: CliCommand = {
  words: ["policy", "pss"],
  summary: "cli.policy-pss.summary",
  synopsis: "FILE",
  options: [
    { name: "level", value: podSecurityLevels.join("|"), about: "cli.option.pss-level" },
    { name: "standard-only", about: "cli.option.standard-only" },
  ],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [
    { line: "glovebox policy pss deployment.yaml", about: "cli.policy-pss.example.restricted" },
    { line: "glovebox policy pss config.json --level baseline --standard-only", about: "cli.policy-pss.example.oci" },
  ],
  notes: ["cli.policy-pss.note.violated", "cli.policy-pss.note.unreadable"],
  execute: async (context, input) => {
    const level = levelOf(input);
    const file = path.resolve(context.cwd, input.operands[0] ?? "");
    const report = await (await context.door()).judgePodSecurity({ file, level, isStandardOnly: input.options.has("standard-only") });
    const { text, stdout, stderr } = context;
    const count = violationCount(report);
    if (context.isJson) await stdout.write(printableJson(podSecurityJson(report, text)));
    else {
      await stdout.lines(podSecurityLines(report, { text, style: stdout.style }));
      if (count > 0) await stderr.line(text({ key: "cli.policy-pss.violated", values: { file, count, level } }));
    }
    return count === 0 ? 0 : errorTable.SPEC_TOO_OPEN.exit;
  },
};
