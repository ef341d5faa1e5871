// The catalogue as the check sees it: every sentence of every topic, in both languages, with its placeholders.
import { z } from "zod";
import type { Finding } from "./finding.ts";
import { listFiles, readText } from "./project-files.ts";

export interface CatalogueSentence {
  readonly file: string;
  readonly en: string;
  readonly zh: string;
}

export type CatalogueSentences = ReadonlyMap<string, CatalogueSentence>;

const topicSchema = z.record(z.string(), z.strictObject({ en: z.string().min(1), zh: z.string().min(1) }));

/** Names in `{name}` and `{count|one|many}`. */
export const placeholders = (sentence: string): string[] =>
  [...new Set([...sentence.matchAll(/\{(\w+)(?::terms|\|[^{}|]*\|[^{}|]*)?\}/gu)].map((match) => match[1] ?? ""))].toSorted();

/** Typed by people, quotes in Chinese drift apart; one form: “x”, without blanks around. */
const oddQuotes = /"|\s“|”\s/u;
const hasHan = /\p{Script=Han}/u;
const keyPattern = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+$/u;

function judgeSentence(key: string, { file, en, zh }: CatalogueSentence): Finding[] {
  const findings: Finding[] = [];
  const place = `${file} ${key}`;
  if (!keyPattern.test(key)) findings.push({ place, problem: "is not a key", fix: "Use lower-case words joined by dots and dashes" });
  if (placeholders(en).join() !== placeholders(zh).join()) {
    findings.push({
      place,
      problem: `en has {${placeholders(en).join("}, {")}}, zh has {${placeholders(zh).join("}, {")}}`,
      fix: "Name the same values in both languages",
    });
  }
  if (!hasHan.test(zh) && /[a-z]{4}/u.test(en.replaceAll(/\{[^}]*\}/gu, ""))) {
    findings.push({ place, problem: "zh holds no Chinese", fix: "Translate it" });
  }
  if (oddQuotes.test(zh.replaceAll(/`[^`]*`/gu, "")))
    findings.push({ place, problem: "zh has other quotes than “x”", fix: "Write “x” without blanks" });
  return findings;
}

/** Error sentences come in pairs: what happened, and what to do next. */
function judgePairs(sentences: CatalogueSentences): Finding[] {
  const findings: Finding[] = [];
  for (const [key, { file }] of sentences) {
    const situation = /^error\.(.+)\.(message|hint)$/u.exec(key);
    if (situation === null) {
      if (key.startsWith("error."))
        findings.push({ place: `${file} ${key}`, problem: "is neither a message nor a hint", fix: "End it with .message or .hint" });
      continue;
    }
    const other = `error.${situation[1]}.${situation[2] === "message" ? "hint" : "message"}`;
    if (!sentences.has(other))
      findings.push({ place: `${file} ${key}`, problem: `has no ${other}`, fix: "Write it: every failure says what to do next" });
  }
  return findings;
}

/** @returns all sentences, and what is wrong with them by themselves */
export function readSentences(root: string): { readonly sentences: CatalogueSentences; readonly findings: readonly Finding[] } {
  const sentences = new Map<string, CatalogueSentence>();
  const findings: Finding[] = [];
  for (const file of listFiles(root, ["src/texts/catalogue/*.json"])) {
    const topic = topicSchema.safeParse(JSON.parse(readText(root, file)));
    if (!topic.success) {
      findings.push({
        place: file,
        problem: z.prettifyError(topic.error).replaceAll("\n", " "),
        fix: "Give every key exactly en and zh, both not empty",
      });
      continue;
    }
    for (const [key, { en, zh }] of Object.entries(topic.data)) {
      const twin = sentences.get(key);
      if (twin !== undefined) findings.push({ place: `${file} ${key}`, problem: `is also in ${twin.file}`, fix: "Keep one" });
      sentences.set(key, { file, en, zh });
      findings.push(...judgeSentence(key, { file, en, zh }));
    }
  }
  return { sentences, findings: [...findings, ...judgePairs(sentences)] };
}
