// The answer sheet on a screen: seven headings in words with their lines, or seven short lines after a run. Values are escaped by `text`.
import type { AnswerSheet, Question } from "../../contracts/answer-sheet.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Style } from "../style.ts";
import { tableLines } from "./table.ts";

export const headings: Readonly<Record<Question, { readonly full: string; readonly short: string }>> = {
  read: { full: "sheet.heading.read", short: "sheet.label.read" },
  write: { full: "sheet.heading.write", short: "sheet.label.write" },
  connect: { full: "sheet.heading.connect", short: "sheet.label.connect" },
  identity: { full: "sheet.heading.identity", short: "sheet.label.identity" },
  happened: { full: "sheet.heading.happened", short: "sheet.label.happened" },
  kept: { full: "sheet.heading.kept", short: "sheet.label.kept" },
  held: { full: "sheet.heading.held", short: "sheet.label.held" },
};

export interface SheetOptions {
  readonly text: Texts;
  readonly style: Style;
  readonly columns?: number | undefined;
}

function subjectLine(sheet: AnswerSheet, text: Texts): string {
  if (sheet.subject.kind === "policy") return text({ key: "sheet.subject.policy", values: { hash: sheet.subject.hash } });
  return text({ key: "sheet.subject.task", values: { task: sheet.subject.id, hash: sheet.subject.policyHash } });
}

/** Subject, then per question a numbered heading and one indented line per fact. */
export function fullSheetLines(sheet: AnswerSheet, options: SheetOptions): string[] {
  const { text, style } = options;
  const lines = [subjectLine(sheet, text)];
  for (const [index, answer] of sheet.answers.entries()) {
    lines.push("", style("bold", `${index + 1}. ${text({ key: headings[answer.question].full })}`));
    const facts = answer.lines.length === 0 ? [{ key: "sheet.nothing" }] : answer.lines;
    for (const fact of facts) lines.push(`   - ${text(fact)}`);
  }
  return lines;
}

/** One line per question: the first fact, and how many more there are. */
export function shortSheetLines(sheet: AnswerSheet, options: SheetOptions): string[] {
  const { text, style } = options;
  const rows = sheet.answers.map((answer) => {
    const [first, ...rest] = answer.lines;
    const fact = text(first ?? { key: "sheet.nothing" });
    const more = rest.length === 0 ? "" : ` ${text({ key: "sheet.more", values: { count: rest.length } })}`;
    return [{ text: text({ key: headings[answer.question].short }), paint: "bold" as const }, { text: `${fact}${more}` }];
  });
  return tableLines(rows, { style, indent: "  ", columns: options.columns });
}

/** The data, with each line's text in the chosen language beside its key. */
export function sheetJson(sheet: AnswerSheet, text: Texts) {
  return {
    subject: sheet.subject,
    answers: sheet.answers.map((answer) => ({
      question: answer.question,
      lines: answer.lines.map((line) => ({ key: line.key, values: line.values ?? {}, text: text(line) })),
    })),
  };
}
