// Checks every sentence: each key and error situation in the sources exists in English and Chinese with the values it needs, and none is unused.
import { type CatalogueSentences, placeholders, readSentences } from "./checks/catalogue.ts";
import { dynamicTexts, notSentences, situationReaders } from "./checks/dynamic-texts.ts";
import type { Check, Finding } from "./checks/finding.ts";
import { parseModule } from "./checks/parsed-module.ts";
import { isTest, listFiles, readText } from "./checks/project-files.ts";
import { runAlone } from "./checks/run-alone.ts";
import { type KeyUse, textUses, type TextUses } from "./checks/text-uses.ts";

export interface SourceUses {
  readonly file: string;
  readonly uses: TextUses;
}

const messageOf = (situation: string): string => `error.${situation}.message`;
const hintOf = (situation: string): string => `error.${situation}.hint`;

/** The first words of keys and situations: a literal that begins with one of them is meant as a sentence. */
function firstWords(sentences: CatalogueSentences): ReadonlySet<string> {
  const words = new Set<string>();
  for (const key of sentences.keys()) {
    const [first = "", second = ""] = key.split(".");
    words.add(first === "error" ? second : first);
  }
  return words;
}

function judgeValues(file: string, use: KeyUse, keys: readonly string[], sentences: CatalogueSentences): Finding[] {
  const { values } = use;
  if (values === undefined) return [];
  const needed = new Set(keys.flatMap((key) => placeholders(sentences.get(key)?.en ?? "")));
  const missing = [...needed].filter((name) => !values.includes(name));
  if (missing.length === 0) return [];
  return [{ place: `${file}:${use.line}`, problem: `"${use.text}" gets no value for {${missing.join("}, {")}}`, fix: "Hand it in" }];
}

function judgeUses({ file, uses }: SourceUses, sentences: CatalogueSentences, words: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = [];
  for (const use of uses.situations) {
    const pair = [messageOf(use.text), hintOf(use.text)];
    for (const key of pair) {
      if (!sentences.has(key))
        findings.push({
          place: `${file}:${use.line}`,
          problem: `${key} does not exist`,
          fix: "Write it in src/texts/catalogue, in both languages",
        });
    }
    findings.push(...judgeValues(file, use, pair, sentences));
  }
  for (const use of uses.literals) {
    const isKey = sentences.has(use.text);
    if (isKey) findings.push(...judgeValues(file, use, [use.text], sentences));
    else if (words.has(use.text.split(".")[0] ?? "") && !sentences.has(messageOf(use.text)) && !notSentences.test(use.text)) {
      findings.push({
        place: `${file}:${use.line}`,
        problem: `"${use.text}" is no sentence`,
        fix: "Write it in src/texts/catalogue, or list it in scripts/checks/dynamic-texts.ts if it is none",
      });
    }
  }
  for (const use of uses.prefixes) {
    const known =
      dynamicTexts.some((row) => row.file === file && row.prefix === use.text) ||
      (use.text === "error." && situationReaders.includes(file));
    const meant = words.has(use.text.split(".")[0] ?? "") || use.text.startsWith("error.");
    if (meant && !known)
      findings.push({
        place: `${file}:${use.line}`,
        problem: `puts a key together from "${use.text}"`,
        fix: "Use whole keys, or list the prefix in scripts/checks/dynamic-texts.ts",
      });
  }
  return findings;
}

function judgeUnused(sources: readonly SourceUses[], sentences: CatalogueSentences): Finding[] {
  const used = new Set(sources.flatMap(({ uses }) => [...uses.literals, ...uses.situations]).map((use) => use.text));
  const findings: Finding[] = [];
  for (const [key, { file }] of sentences) {
    const situation = /^error\.(.+)\.(?:message|hint)$/u.exec(key)?.[1];
    const isUsed =
      used.has(key) || (situation !== undefined && used.has(situation)) || dynamicTexts.some((row) => key.startsWith(row.prefix));
    if (!isUsed) findings.push({ place: `${file} ${key}`, problem: "is used nowhere", fix: "Delete it" });
  }
  return findings;
}

function judgeStaleRows(sources: readonly SourceUses[]): Finding[] {
  const place = "scripts/checks/dynamic-texts.ts";
  const isUsed = (file: string, prefix: string): boolean =>
    sources.some((source) => source.file === file && source.uses.prefixes.some((use) => use.text === prefix));
  const rows = [...dynamicTexts, ...situationReaders.map((file) => ({ file, prefix: "error." }))];
  return rows
    .filter(({ file, prefix }) => !isUsed(file, prefix))
    .map(({ file, prefix }) => ({ place, problem: `${file} no longer uses "${prefix}"`, fix: "Delete the row" }));
}

/** Everything but the catalogue's own faults. */
export function useFindings(sources: readonly SourceUses[], sentences: CatalogueSentences): Finding[] {
  const words = firstWords(sentences);
  return [...sources.flatMap((source) => judgeUses(source, sentences, words)), ...judgeUnused(sources, sentences)];
}

export const textsCheck: Check = {
  name: "texts",
  run: (root) => {
    const { sentences, findings } = readSentences(root);
    const files = listFiles(root, ["src/**/*.ts", "scripts/setup.mjs", "scripts/setup/*.mjs"]).filter((file) => !isTest(file));
    const sources = files.map((file) => ({ file, uses: textUses(parseModule(file, readText(root, file))) }));
    // The starter of ./glovebox says one sentence before there is a Node.
    const starter: SourceUses = {
      file: "scripts/setup/start.sh",
      uses: { literals: [{ text: "setup.no-node", line: 1, values: undefined }], situations: [], prefixes: [] },
    };
    return [...findings, ...useFindings([...sources, starter], sentences), ...judgeStaleRows(sources)];
  },
};

if (import.meta.main) await runAlone(textsCheck);
