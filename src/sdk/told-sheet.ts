// The answer sheet for a program: each line as text of the chosen language, beside the key and values that it was made from.
import type { AnswerSheet, Question } from "../contracts/answer-sheet.ts";
import type { Sentence } from "../contracts/sentence.ts";
import type { Say } from "./public-error.ts";

export interface ToldLine extends Sentence {
  /** One printable line. */
  readonly text: string;
}

/** All seven questions, in this order: read, write, connect, identity, happened, kept, held. */
export interface ToldSheet {
  readonly subject: AnswerSheet["subject"];
  readonly answers: readonly { readonly question: Question; readonly lines: readonly ToldLine[] }[];
}

export function toldLines(lines: readonly Sentence[], say: Say): readonly ToldLine[] {
  return lines.map((line) => ({ ...line, text: say(line) }));
}

export function toldSheet({ subject, answers }: AnswerSheet, say: Say): ToldSheet {
  return { subject, answers: answers.map(({ question, lines }) => ({ question, lines: toldLines(lines, say) })) };
}
