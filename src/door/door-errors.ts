// An error on its way through the door: what programs match goes as data, and so does the sentence for a client that can only show it.
import { type ErrorCode, errorTable } from "../contracts/error-table.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { PolicyError } from "../contracts/policy-error.ts";
import type { PolicyProblem } from "../contracts/policy-port.ts";
import { escapeText } from "../kit/escape-text.ts";
import { createTexts, type Language } from "../texts/texts.ts";
import { partFrames, refusedFrame } from "./door-frames.ts";
import { errorSchema } from "./door-requests.ts";
import { violation } from "./violation.ts";

const problemCodes = [
  "POLICY_SYNTAX",
  "POLICY_UNREADABLE",
  "POLICY_KEY_UNKNOWN",
  "POLICY_KEY_UNSUPPORTED",
  "POLICY_KEY_INERT",
  "POLICY_VALUE_INVALID",
  "POLICY_WIDENS",
  "POLICY_TEST_FAILED",
] as const satisfies readonly PolicyProblem["code"][];

function asGloveboxError(thrown: unknown): GloveboxError {
  if (thrown instanceof GloveboxError) return thrown;
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return new GloveboxError("INTERNAL", "cli.internal", { values: { reason }, cause: thrown });
}

/** What programs match. */
export function errorDocument(thrown: unknown): Readonly<Record<string, unknown>> {
  const error = asGloveboxError(thrown);
  const { code, situation, values } = error;
  return { code, situation, values, ...(error instanceof PolicyError ? { problems: error.problems } : {}) };
}

export function errorFrames(stream: number, thrown: unknown, language: Language): Buffer[] {
  const error = asGloveboxError(thrown);
  const { code } = error;
  const text = createTexts(language, escapeText);
  const words = [code, text(error.sentence), text(error.hint)] as const;
  return [...partFrames(stream, Buffer.from(JSON.stringify(errorDocument(error)))), refusedFrame(stream, error.row.exit, words)];
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);

/** @param parts the JSON that came with REFUSED */
export function parseError(parts: Buffer): GloveboxError {
  const found = errorSchema().safeParse(JSON.parse(parts.toString("utf8")));
  if (!found.success || !isErrorCode(found.data.code)) throw violation("error");
  const { code, situation, values, problems } = found.data;
  const [first, ...rest] = (problems ?? []).flatMap((problem): PolicyProblem[] => {
    const known = problemCodes.find((candidate) => candidate === problem.code);
    return known === undefined ? [] : [{ ...problem, code: known }];
  });
  return first === undefined ? new GloveboxError(code, situation, { values }) : new PolicyError([first, ...rest]);
}
