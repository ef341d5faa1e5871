// Writes the generated documents, or with --check says which of them no longer fit their sources.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { conformanceDocument } from "../src/conformance/document.ts";
import { policySchema } from "../src/policy/policy.ts";
import type { Check, Finding } from "./checks/finding.ts";
import { runAlone } from "./checks/run-alone.ts";
import { attacks } from "../test/escape/attacks.ts";
import { renderMatrix } from "../test/escape/harness/matrix.ts";
import { renderRows } from "../test/fixtures/internet/render-rows.ts";
import { makeClientWords } from "./generate/client-words.ts";
import { makeErrorsPage } from "./generate/errors-page.ts";

export interface GeneratedFile {
  readonly file: string;
  readonly make: (root: string) => string;
}

export const generatedFiles: readonly GeneratedFile[] = [
  { file: "docs/errors.md", make: makeErrorsPage },
  { file: "docs/conformance.md", make: () => conformanceDocument() },
  { file: "docs/escape-matrix.md", make: () => renderMatrix(attacks) },
  { file: "docs/egress-cases.md", make: renderRows },
  { file: "native/client/words.h", make: makeClientWords },
  { file: "docs/policy.schema.json", make: () => `${JSON.stringify(policySchema(), null, 2)}\n` },
];

export function staleFiles(root: string, files: readonly GeneratedFile[]): Finding[] {
  const stale = files.filter(({ file, make }) => {
    const place = path.join(root, file);
    return !existsSync(place) || readFileSync(place, "utf8") !== make(root);
  });
  return stale.map(({ file }) => ({ place: file, problem: "does not fit its sources", fix: "Run: npm run generate" }));
}

export const generatedCheck: Check = { name: "generated", run: (root) => staleFiles(root, generatedFiles) };

function writeAll(root: string): void {
  for (const { file, make } of generatedFiles) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), make(root));
    process.stdout.write(`${file}\n`);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  if (values.check) await runAlone(generatedCheck);
  else writeAll(path.dirname(import.meta.dirname));
}
