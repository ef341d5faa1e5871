// The two tables of promises: THREAT-MODEL says which test breaks with each invariant, SPECIFICATION which file keeps each number.
import type { DocsFacts } from "./docs-facts.ts";
import type { Finding } from "./finding.ts";
import type { Markdown } from "./markdown.ts";

interface Row {
  readonly text: string;
  readonly line: number;
}

/** Body rows of every table whose header matches. */
function tableRows(document: Markdown, header: RegExp): Row[] {
  const rows: Row[] = [];
  let isInside = false;
  for (const [index, text] of document.lines.entries()) {
    if (!text.startsWith("|")) isInside = false;
    else if (/^\|[\s|:-]+\|$/u.test(text)) isInside = header.test(document.lines[index - 1] ?? "");
    else if (isInside) rows.push({ text, line: index + 1 });
  }
  return rows;
}

/** Every invariant has a row that names a test file, or says `pending`. */
export function judgeThreatModel(document: Markdown, facts: DocsFacts): Finding[] {
  const rows = new Map(tableRows(document, /invariant/iu).map((row) => [/I-\d\d/u.exec(row.text)?.[0], row]));
  const findings: Finding[] = [];
  for (const id of facts.invariants) {
    const row = rows.get(id);
    const place = `${document.file}:${row?.line ?? 1}`;
    if (row === undefined)
      findings.push({ place, problem: `${id} has no row`, fix: "Name the test that fails when it is broken, or say pending" });
    else if (!/`[\w./*-]+\.test\.ts/u.test(row.text) && !row.text.includes("pending")) {
      findings.push({ place, problem: `${id} names no test`, fix: "Name the test that fails when it is broken, or say pending" });
    }
  }
  return findings;
}

/** Every number says what enforces it, or that it is pending. */
export function judgeSpecification(document: Markdown, facts: DocsFacts): Finding[] {
  const findings: Finding[] = [];
  for (const { text, line } of tableRows(document, /enforced/iu)) {
    const place = `${document.file}:${line}`;
    const files = [...text.matchAll(/enforced: `([^`:]+)/gu)].map((match) => match[1] ?? "");
    if (files.length === 0 && !text.includes("pending"))
      findings.push({ place, problem: "the row says neither what enforces it nor pending", fix: "Write enforced: `file`, or pending" });
    for (const file of files)
      if (!facts.exists(file)) findings.push({ place, problem: `"${file}" does not exist`, fix: "Name the file that enforces it" });
  }
  return findings;
}
