// Judges one document: everything it names must exist. Pure but for asking the facts.
import path from "node:path";
import type { DocsFacts } from "./docs-facts.ts";
import type { Finding } from "./finding.ts";
import { type Markdown, type Named, readMarkdown } from "./markdown.ts";

const rootFolders = ["src", "test", "scripts", "native", "bench", "docs", ".ci"];
const rootFile =
  /^(?:README(?:\.[a-zA-Z-]+)?|ARCHITECTURE|THREAT-MODEL|SPECIFICATION|CONTRIBUTING|CHANGELOG|SECURITY)\.md$|^(?:package(?:-lock)?\.json|tsconfig[a-z.]*\.json|LICENSE)$/u;

/** A path of this repository: below a folder of its root, without blanks, placeholders or a variable. */
function repositoryPath(text: string): string | undefined {
  const plain = text
    .replace(/^\.\//u, "")
    .replace(/(?::\d+(?::\d+)?|#[\w-]*)$/u, "")
    .replace(/\/$/u, "");
  if (/[\s<>$"'()]|\.\.\.|…/u.test(plain)) return undefined;
  const [first] = plain.split("/");
  return rootFile.test(plain) || (plain.includes("/") && rootFolders.includes(first ?? "")) ? plain : undefined;
}

function judgePath(document: Markdown, { text, line }: Named, facts: DocsFacts): Finding[] {
  const named = repositoryPath(text);
  if (named === undefined || facts.exists(named)) return [];
  return [{ place: `${document.file}:${line}`, problem: `"${named}" does not exist`, fix: "Correct the path" }];
}

/** `test/e2e/x.test.ts: words of a title` names a test of that file. */
function judgeTestId(document: Markdown, { text, line }: Named, facts: DocsFacts): Finding[] {
  const [, file, title] = /^([\w./-]+\.test\.ts): (.+)$/u.exec(text) ?? [];
  if (file === undefined || title === undefined) return [];
  const place = `${document.file}:${line}`;
  if (!facts.exists(file)) return [{ place, problem: `"${file}" does not exist`, fix: "Correct the path" }];
  return facts.readText(file).includes(title)
    ? []
    : [{ place, problem: `${file} has no test "${title}"`, fix: "Use words of the test's own title" }];
}

/** Every `glovebox WORD` and `npm run WORD` in one piece of code. */
function judgeCommands(document: Markdown, { text, line }: Named, facts: DocsFacts): Finding[] {
  const findings: Finding[] = [];
  const place = `${document.file}:${line}`;
  for (const call of text.matchAll(
    /(?:^|[\s;&|(])(?:\.\/|\S*\/)?glovebox((?:\s+--?[a-z][\w-]*(?:=\S+)?)*)\s+([a-z][a-z-]*)(?:\s+([a-z][a-z-]*))?/gu,
  )) {
    const [, , word = "", second] = call;
    if (!facts.subcommands.has(word))
      findings.push({ place, problem: `glovebox has no command "${word}"`, fix: "See src/cli/commands.ts" });
    else if (second !== undefined && facts.subcommands.has(word) && hasParts(word, facts) && !facts.subcommands.has(`${word} ${second}`)) {
      findings.push({ place, problem: `glovebox has no command "${word} ${second}"`, fix: "See src/cli/commands.ts" });
    }
  }
  for (const call of text.matchAll(/(?:^|[\s;&|(])npm run ([\w:-]+)/gu)) {
    if (!facts.npmScripts.has(call[1] ?? ""))
      findings.push({ place, problem: `package.json has no script "${call[1]}"`, fix: "Correct the name" });
  }
  return findings;
}

const hasParts = (word: string, facts: DocsFacts): boolean => [...facts.subcommands].some((name) => name.startsWith(`${word} `));

/** Words in capitals that begin like an error code are meant as one. */
function judgeErrorCode(document: Markdown, { text, line }: Named, facts: DocsFacts): Finding[] {
  if (!/^[A-Z]+(?:_[A-Z]+)+$/u.test(text) || facts.errorCodes.has(text)) return [];
  const families = new Set([...facts.errorCodes].map((code) => code.split("_")[0]));
  if (!families.has(text.split("_")[0])) return [];
  return [{ place: `${document.file}:${line}`, problem: `"${text}" is no error code`, fix: "See src/contracts/error-table.ts" }];
}

function judgeLink(document: Markdown, { text, line }: Named, facts: DocsFacts): Finding[] {
  const [target = "", anchor] = decodeURI(text).split("#");
  const file = target === "" ? document.file : path.posix.join(path.posix.dirname(document.file), target);
  const place = `${document.file}:${line}`;
  if (!facts.exists(file)) return [{ place, problem: `link to "${file}", which does not exist`, fix: "Correct the link" }];
  if (anchor === undefined || !file.endsWith(".md")) return [];
  const anchors = file === document.file ? document.anchors : readMarkdown(file, facts.readText(file)).anchors;
  return anchors.has(anchor) ? [] : [{ place, problem: `${file} has no heading "#${anchor}"`, fix: "Correct the link" }];
}

/** Also for sources: `INVARIANT I-07` in a comment. */
export function judgeInvariants(document: { readonly file: string; readonly lines: readonly string[] }, facts: DocsFacts): Finding[] {
  return document.lines.flatMap((text, index) =>
    [...text.matchAll(/\bI-\d\d\b/gu)]
      .filter(([id]) => !facts.invariants.has(id))
      .map(([id]) => ({
        place: `${document.file}:${index + 1}`,
        problem: `${id} is not defined`,
        fix: "Define it in ARCHITECTURE.md or correct the number",
      })),
  );
}

/** Documents that a comment of a source names. */
export function judgeMentions(document: { readonly file: string; readonly lines: readonly string[] }, facts: DocsFacts): Finding[] {
  return document.lines.flatMap((text, index) =>
    [...text.matchAll(/(?:\/\/|^\s*\*|^#).*?\b((?:docs\/[\w./-]+|README|ARCHITECTURE|THREAT-MODEL|SPECIFICATION|CONTRIBUTING)\.md)\b/gu)]
      .filter((match) => !facts.exists(match[1] ?? ""))
      .map((match) => ({ place: `${document.file}:${index + 1}`, problem: `"${match[1]}" does not exist`, fix: "Correct the path" })),
  );
}

export function judgeDocument(document: Markdown, facts: DocsFacts): Finding[] {
  const each = [judgePath, judgeTestId, judgeCommands, judgeErrorCode];
  return [
    ...document.code.flatMap((named) => each.flatMap((judge) => judge(document, named, facts))),
    ...document.links.flatMap((named) => judgeLink(document, named, facts)),
    ...judgeInvariants(document, facts),
  ];
}
