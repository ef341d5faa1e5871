// docs/errors.md: every code with its exit code and what to do, and the situations that end in it.
import { type ErrorCode, errorTable } from "../../src/contracts/error-table.ts";
import { type CatalogueSentences, readSentences } from "../checks/catalogue.ts";
import { parseModule } from "../checks/parsed-module.ts";
import { isTest, listFiles, readText } from "../checks/project-files.ts";
import { chosenSituations } from "./chosen-situations.ts";
import { type ErrorSituation, errorSituations } from "./error-situations.ts";

const retries = { never: "no: the same call fails again", "after-fix": "after following the hint", later: "yes, later" } as const;

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");

function situationRows(situations: readonly string[], sentences: CatalogueSentences): string[] {
  if (situations.length === 0) return [];
  const rows = situations.map((situation) => {
    const message = sentences.get(`error.${situation}.message`)?.en ?? "";
    const hint = sentences.get(`error.${situation}.hint`)?.en ?? "";
    return `| \`${situation}\` | ${cell(message)} | ${cell(hint)} |`;
  });
  return ["", "| situation | message | what to do |", "|---|---|---|", ...rows];
}

function codeSection(code: ErrorCode, situations: readonly string[], sentences: CatalogueSentences): string[] {
  const row = errorTable[code];
  const facts = `Exit code ${row.exit}, HTTP status ${row.status}. Try again: ${retries[row.retry]}.`;
  return ["", `## ${code}`, "", facts, ...situationRows(situations, sentences)];
}

export function renderErrorsPage(found: readonly ErrorSituation[], sentences: CatalogueSentences): string {
  const lines = [
    "# Errors",
    "",
    "Made by `npm run generate` from `src/contracts/error-table.ts` and `src/texts/catalogue/`. Codes are permanent; words are not.",
  ];
  for (const code of typedKeys(errorTable)) {
    const situations = found
      .filter((each) => each.code === code && sentences.has(`error.${each.situation}.message`))
      .map((each) => each.situation);
    lines.push(...codeSection(code, situations.toSorted(), sentences));
  }
  const mapped = new Set(found.map((each) => each.situation));
  const others = [...sentences.keys()]
    .map((key) => /^error\.(.+)\.message$/u.exec(key)?.[1])
    .filter((situation) => situation !== undefined && !mapped.has(situation));
  const rest = others.filter((situation) => situation !== undefined).toSorted();
  if (rest.length > 0) lines.push("", "## Other situations", ...situationRows(rest, sentences));
  return `${lines.join("\n")}\n`;
}

function typedKeys<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  const keys: Key[] = [];
  for (const key in table) keys.push(key);
  return keys;
}

export function makeErrorsPage(root: string): string {
  const files = listFiles(root, ["src/**/*.ts", "scripts/setup/*.mjs"]).filter((file) => !isTest(file));
  const modules = files.map((file) => parseModule(file, readText(root, file)));
  const { sentences } = readSentences(root);
  const read = errorSituations(modules);
  const known = new Set(read.map(({ situation }) => situation));
  const chosen = chosenSituations(modules, {
    situation: (text) => sentences.has(`error.${text}.message`),
    known: (text) => known.has(text),
  });
  return renderErrorsPage([...read, ...chosen], sentences);
}
