// The shape of a source file: a name that says what it holds, a first line that says its job, and a length that can be read.
import path from "node:path";
import type { Finding } from "./finding.ts";
import { emptyFileNames, longestFile } from "./walls-table.ts";

const comment: Readonly<Record<string, RegExp>> = {
  ".ts": /^\/\/ \S/u,
  ".mts": /^\/\/ \S/u,
  ".mjs": /^\/\/ \S/u,
  ".c": /^(?:\/\/|\/\*) ?\S/u,
  ".h": /^(?:\/\/|\/\*) ?\S/u,
  ".sh": /^# \S/u,
};

const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/u;

/** @param text the whole file */
export function fileShape(file: string, text: string): Finding[] {
  const findings: Finding[] = [];
  const name = path.basename(file);
  const stem = name.split(".")[0] ?? name;
  if (emptyFileNames.has(stem))
    findings.push({ place: file, problem: `"${name}" says nothing about what it holds`, fix: "Name it for its main export" });
  if (!kebab.test(name)) findings.push({ place: file, problem: `"${name}" is not kebab-case`, fix: "Use lower-case words with dashes" });
  const lines = text.split("\n");
  if (lines.length - 1 > longestFile) {
    findings.push({
      place: file,
      problem: `${lines.length - 1} lines, more than ${longestFile}`,
      fix: "Split it by what its parts are for",
    });
  }
  const first = lines[0]?.startsWith("#!") === true ? lines[1] : lines[0];
  if (comment[path.extname(file)]?.test(first ?? "") === false) {
    findings.push({ place: `${file}:1`, problem: "the first line is not a comment", fix: "Say in one line what the file is for" });
  }
  return findings;
}
