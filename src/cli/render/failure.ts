// Whatever was thrown -> code, message, next step and exit code; for a person on stderr, for a program as JSON.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { PolicyError } from "../../contracts/policy-error.ts";
import type { PolicyProblem } from "../../contracts/policy-port.ts";
import { escapeText } from "../../kit/escape-text.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Style } from "../style.ts";
import { problemJson, problemLines } from "./problems.ts";
import { refusalLines } from "./refusal-lines.ts";

export interface Failure {
  readonly error: GloveboxError;
  readonly problems: readonly PolicyProblem[];
  /** Stack lines, escaped; only when GLOVEBOX_DEBUG=1. */
  readonly trace: readonly string[];
}

function traceOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const own = (error.stack ?? String(error)).split("\n").map((line) => escapeText(line));
  return error.cause === undefined ? own : [...own, ...traceOf(error.cause)];
}

/** Never throws, whatever it is given. */
export function describeFailure(thrown: unknown, env: Readonly<Record<string, string | undefined>>): Failure {
  const trace = env["GLOVEBOX_DEBUG"] === "1" ? traceOf(thrown) : [];
  if (thrown instanceof PolicyError) return { error: thrown, problems: thrown.problems, trace };
  if (thrown instanceof GloveboxError) return { error: thrown, problems: [], trace };
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return { error: new GloveboxError("INTERNAL", "cli.internal", { values: { reason }, cause: thrown }), problems: [], trace };
}

/** `glovebox: MESSAGE`, then `code:` and `next:` lines; a refused policy lists its problems instead, each with its own. */
export function failureLines(failure: Failure, options: { readonly text: Texts; readonly style: Style }): string[] {
  const { error, problems, trace } = failure;
  const { text, style } = options;
  const name = style("red", "glovebox:");
  // A problem that stands in no file is told as any other refusal.
  const isOfPolicy = problems.length > 1 || problems.some(({ label }) => label !== "");
  const lines = isOfPolicy
    ? [`${name} ${text({ key: "cli.failure.policy", values: { count: problems.length } })}`, ...problemLines(problems, options)]
    : [`${name} ${text(error.sentence)}`, ...refusalLines(error.code, text(error.hint), options)];
  return [...lines, ...trace.map((line) => style("dim", `  ${line}`))];
}

/** `{code, message, hint, values}` and, for a policy, `problems`. */
export function failureJson(failure: Failure, text: Texts) {
  const { error, problems } = failure;
  return {
    code: error.code,
    message: text(error.sentence),
    hint: text(error.hint),
    values: error.values,
    ...(problems.length === 0 ? {} : { problems: problems.map((problem) => problemJson(problem, text)) }),
  };
}
