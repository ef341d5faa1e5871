// Asks a person at the terminal of this process. The answer is a code that stands in the question alone: what was typed before, what a terminal
// answers by itself, and what a sandboxed program could get typed for it, cannot be that. INVARIANT I-12
import { randomInt } from "node:crypto";
import type { ApprovalAnswer, ApprovalQuestion, AskPerson } from "../../contracts/approval.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { PromptTerminal } from "../../kit/prompt-terminal.ts";
import type { CliContext } from "../command.ts";
import { createStyle } from "../style.ts";
import { isOutside, questionLines } from "./question-lines.ts";

/** No letters that are read as others. */
const letters = "abcdefghjkmnpqrstuvwxyz";
const attempts = 3;

/** What a program that drew here before may have left: colours, margins, character sets, the other screen, a hidden cursor. */
const freshScreen = "\u001B[?1049l\u001B[!p\u001B[0m\u001B(B\u000F\u001B[?25h\n";

function makeCode(length: number): string {
  return Array.from({ length }, () => letters.charAt(randomInt(letters.length))).join("");
}

async function readAnswer(terminal: PromptTerminal, code: string, again: string, signal: AbortSignal): Promise<ApprovalAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const line = await terminal.readLine(signal);
    const word = line?.trim().toLowerCase();
    if (word === code) return "granted";
    if (word === undefined || word === "" || word === "n" || word === "no" || attempt === attempts) return "refused";
    terminal.write(`${again} `);
  }
}

/** Takes an answer before the person is told that it was taken. */
export type TellAnswer = (answer: ApprovalAnswer) => Promise<void>;

function verdictKey(question: ApprovalQuestion, answer: ApprovalAnswer): string {
  if (answer === "refused") return "approval.refused-line";
  return question.kind === "connection" ? "approval.granted-connection" : "approval.granted";
}

async function ask(
  context: CliContext,
  question: ApprovalQuestion,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: TellAnswer },
): Promise<ApprovalAnswer> {
  const terminal = await context.io.openPrompt();
  if (terminal === undefined)
    throw new GloveboxError("APPROVAL_UNAVAILABLE", "approval.no-terminal", { values: { approval: question.id } });
  const code = makeCode(isOutside(question) ? 6 : 4);
  const style = createStyle({ env: context.io.env, isPlain: context.isPlain, isTerminal: true });
  const { text } = context;
  try {
    const lines = questionLines(question, code, { text, style });
    terminal.write(`${freshScreen}${lines.join("\n")} `);
    const answer = await readAnswer(terminal, code, text({ key: "approval.wrong-code" }), signal);
    if (!signal.aborted) await tell(answer);
    terminal.write(`${text({ key: signal.aborted ? "approval.over-line" : verdictKey(question, answer) })}\n`);
    return answer;
  } finally {
    await terminal.close();
  }
}

/** How this call asks; nothing is opened before there is a question. */
export function askAtTerminal(context: CliContext, tell: TellAnswer = async () => {}): AskPerson {
  return async (question, signal) => ({ answer: await ask(context, question, { signal, tell }), by: "terminal" });
}
