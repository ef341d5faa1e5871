// `npm run check`: all static checks at once, one line for each, and the output of those that failed.
import path from "node:path";
import { docsCheck } from "./check-docs.ts";
import { hygieneCheck } from "./check-hygiene.ts";
import { textsCheck } from "./check-texts.ts";
import { wallsCheck } from "./check-walls.ts";
import { type Check, type Finding, findingLine } from "./checks/finding.ts";
import { programCheck } from "./checks/program-check.ts";
import { formatCommand, lintCommand, typesCommand } from "./checks/program-commands.ts";
import { generatedCheck } from "./generate.ts";

const root = path.dirname(import.meta.dirname);

const checks: readonly Check[] = [
  programCheck("format", formatCommand, "Run: npm run format"),
  programCheck("lint", lintCommand, "Correct it; a suppression carries its reason"),
  programCheck("types", typesCommand, "Correct it"),
  wallsCheck,
  docsCheck,
  textsCheck,
  generatedCheck,
  hygieneCheck,
];

interface Outcome {
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly seconds: number;
}

async function perform(check: Check): Promise<Outcome> {
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  try {
    const findings = await check.run(root);
    return { name: check.name, findings, seconds: seconds() };
  } catch (error) {
    // fails closed because a check that could not run has not passed
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { name: check.name, findings: [{ place: check.name, problem, fix: "Make the check run" }], seconds: seconds() };
  }
}

const outcomes = await Promise.all(checks.map((check) => perform(check)));
for (const { name, findings } of outcomes.filter((outcome) => outcome.findings.length > 0)) {
  process.stdout.write(`== ${name}\n${findings.map(findingLine).join("\n")}\n\n`);
}
for (const { name, findings, seconds } of outcomes) {
  const state = findings.length === 0 ? "clean" : `${findings.length} to fix`;
  process.stdout.write(`${findings.length === 0 ? "✔" : "✖"} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(5)} s  ${state}\n`);
}
const failed = outcomes.filter((outcome) => outcome.findings.length > 0).length;
process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
