// Checks the documents: every file, command, script, error code, invariant and test that they name exists, and every promise names its keeper.
import { type DocsFacts, readFacts } from "./checks/docs-facts.ts";
import type { Check, Finding } from "./checks/finding.ts";
import { judgeDocument, judgeInvariants, judgeMentions } from "./checks/judge-document.ts";
import { judgeSpecification, judgeThreatModel } from "./checks/judge-promises.ts";
import { readMarkdown } from "./checks/markdown.ts";
import { listFiles, readText } from "./checks/project-files.ts";
import { runAlone } from "./checks/run-alone.ts";

/** What a reader may rely on being there. */
export const requiredDocuments = [
  "README.md",
  "README.zh-CN.md",
  "ARCHITECTURE.md",
  "THREAT-MODEL.md",
  "SPECIFICATION.md",
  "CONTRIBUTING.md",
];

export function documentFindings(file: string, text: string, facts: DocsFacts): Finding[] {
  const document = readMarkdown(file, text);
  const findings = judgeDocument(document, facts);
  if (file === "THREAT-MODEL.md") findings.push(...judgeThreatModel(document, facts));
  if (file === "SPECIFICATION.md") findings.push(...judgeSpecification(document, facts));
  return findings;
}

/** Sources name invariants and documents in their comments. */
export function sourceFindings(file: string, text: string, facts: DocsFacts): Finding[] {
  const source = { file, lines: text.split("\n") };
  return [...judgeInvariants(source, facts), ...judgeMentions(source, facts)];
}

const sources = ["src/**/*.ts", "native/**/*.{c,h}", "scripts/**/*.{mjs,sh}", "test/**/*.ts", "bench/**/*.ts"];

export const docsCheck: Check = {
  name: "docs",
  run: (root) => {
    const facts = readFacts(root);
    const files = listFiles(root, ["*.md", "docs/**/*.md"]);
    const missing = requiredDocuments.filter((file) => !files.includes(file));
    const absent = missing.map((file) => ({ place: file, problem: "does not exist", fix: "Write it" }));
    const documents = files.flatMap((file) => documentFindings(file, readText(root, file), facts));
    return [...absent, ...documents, ...listFiles(root, sources).flatMap((file) => sourceFindings(file, readText(root, file), facts))];
  },
};

if (import.meta.main) await runAlone(docsCheck);
