// Problems of a policy document: `file:line: sentence`, each with its code and next step. The place stands once.
import { commandLineLabel, type PolicyProblem } from "../../contracts/policy-port.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import { escapeText } from "../../kit/escape-text.ts";
import type { Texts } from "../../texts/texts.ts";
import { flagOfKey } from "../run/run-overrides.ts";
import type { Style } from "../style.ts";
import { refusalLines } from "./refusal-lines.ts";

/** In a sentence a value of the command line goes by its flag. */
function sentenceOf(problem: PolicyProblem, part: "message" | "hint"): Sentence {
  const { situation, values, label, key } = problem;
  const named = label === commandLineLabel ? { ...values, key: flagOfKey(key) ?? key } : values;
  return { key: `error.${situation}.${part}`, values: named };
}

/** `glovebox.yaml:3: `, or without the line when the format gives none; nothing for flags, which the sentence names. */
function placeOf(problem: PolicyProblem): string {
  if (problem.label === "" || problem.label === commandLineLabel) return "";
  const label = escapeText(problem.label);
  return problem.line > 0 ? `${label}:${problem.line}: ` : `${label}: `;
}

export function problemLines(problems: readonly PolicyProblem[], options: { readonly text: Texts; readonly style: Style }): string[] {
  const { text, style } = options;
  return problems.flatMap((problem) => [
    `${style("bold", placeOf(problem))}${text(sentenceOf(problem, "message"))}`,
    ...refusalLines(problem.code, text(sentenceOf(problem, "hint")), options),
  ]);
}

export function problemJson(problem: PolicyProblem, text: Texts) {
  return {
    code: problem.code,
    file: problem.label,
    line: problem.line,
    key: problem.key,
    message: text(sentenceOf(problem, "message")),
    hint: text(sentenceOf(problem, "hint")),
    values: problem.values,
  };
}
