// Problems of a policy document: `file:line key: sentence`, each with its next step.
import type { PolicyProblem } from "../../contracts/policy-port.ts";
import { escapeText } from "../../kit/escape-text.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Style } from "../style.ts";

const sentenceOf = (problem: PolicyProblem, part: "message" | "hint") => ({
  key: `error.${problem.situation}.${part}`,
  values: problem.values,
});

/** `glovebox.yaml:3`, or without the line when the format gives none. */
function placeOf(problem: PolicyProblem): string {
  const label = escapeText(problem.label);
  return problem.line > 0 ? `${label}:${problem.line}` : label;
}

export function problemLines(problems: readonly PolicyProblem[], options: { readonly text: Texts; readonly style: Style }): string[] {
  const { text, style } = options;
  return problems.flatMap((problem) => {
    const place = [placeOf(problem), escapeText(problem.key)].filter((part) => part !== "").join(" ");
    return [
      `${style("bold", `${place}:`)} ${text(sentenceOf(problem, "message"))}`,
      `  ${style("dim", text({ key: "cli.failure.code" }))} ${problem.code}`,
      `  ${style("dim", text({ key: "cli.failure.next" }))} ${text(sentenceOf(problem, "hint"))}`,
    ];
  });
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
