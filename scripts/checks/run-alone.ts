// Lets a check be started by itself: `node scripts/check-walls.ts` prints its findings and fails on any.
import path from "node:path";
import { type Check, findingLine } from "./finding.ts";

const repository = path.dirname(path.dirname(import.meta.dirname));

export async function runAlone(check: Check): Promise<void> {
  const findings = await check.run(repository);
  for (const finding of findings) process.stdout.write(`${findingLine(finding)}\n`);
  process.stdout.write(`${check.name}: ${findings.length === 0 ? "clean" : `${findings.length} to fix`}\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
