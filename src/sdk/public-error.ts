// What a program that uses the library catches: a code to match, a sentence that says what is wrong, and one that says what to do next.
import { type ErrorCode, errorTable, type Retry } from "../contracts/error-table.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { PolicyError } from "../contracts/policy-error.ts";
import type { PolicyProblem } from "../contracts/policy-port.ts";
import type { Sentence } from "../contracts/sentence.ts";

/** Makes a sentence text of one language, with every value escaped. */
export type Say = (sentence: Sentence) => string;

/** One thing that is wrong with a policy. */
export interface PublicProblem {
  readonly code: ErrorCode;
  /** The file, or the words that stand for where it came from. */
  readonly file: string;
  /** Counted from 1; 0 where there is none. */
  readonly line: number;
  /** Dotted, e.g. `filesystem.allowWrite`. */
  readonly key: string;
  readonly message: string;
  readonly hint: string;
}

export class PublicError extends Error {
  override readonly name = "GloveboxError";
  /** Permanent: docs/errors.md lists all. */
  readonly code: ErrorCode;
  /** What to do next: an imperative with the exact command or setting. */
  readonly hint: string;
  /** The values that stand in `message` and `hint`, as they are. Never a secret, and never escaped. */
  readonly details: Readonly<Record<string, string | number>>;
  /** Whether the same call may succeed: `never`, `after-fix` (follow the hint first) or `later`. */
  readonly retry: Retry;
  /** Of a policy that cannot be used: everything that is wrong with it. Otherwise empty. */
  readonly problems: readonly PublicProblem[];

  constructor(error: GloveboxError, say: Say) {
    super(say(error.sentence), { cause: error });
    this.code = error.code;
    this.hint = say(error.hint);
    this.details = error.values;
    this.retry = errorTable[error.code].retry;
    this.problems = error instanceof PolicyError ? error.problems.map((problem) => publicProblem(problem, say)) : [];
  }
}

function publicProblem({ code, label, line, key, situation, values }: PolicyProblem, say: Say): PublicProblem {
  const message = say({ key: `error.${situation}.message`, values });
  return { code, file: label, line, key, message, hint: say({ key: `error.${situation}.hint`, values }) };
}

const publicError = (error: unknown, say: Say): unknown => (error instanceof GloveboxError ? new PublicError(error, say) : error);

/** What is no error of ours (the reason of a signal, what a callback threw) passes as it is. @throws PublicError */
export async function told<Value>(say: Say, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw publicError(error, say);
  }
}

/** The same of what is read piece by piece. */
export function* toldParts<Part>(say: Say, parts: Iterable<Part>): Generator<Part, void, undefined> {
  try {
    yield* parts;
  } catch (error) {
    throw publicError(error, say);
  }
}
