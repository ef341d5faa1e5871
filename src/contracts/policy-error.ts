// The refusal of a policy: one error that carries every finding, so that a person repairs a file in one go.
import { GloveboxError } from "./glovebox-error.ts";
import type { PolicyProblem } from "./policy-port.ts";

export class PolicyError extends GloveboxError {
  /** Never empty; the first one gives the error its code, situation and values. */
  readonly problems: readonly [PolicyProblem, ...PolicyProblem[]];

  constructor(problems: readonly [PolicyProblem, ...PolicyProblem[]]) {
    const [first] = problems;
    super(first.code, first.situation, { values: first.values });
    this.problems = problems;
  }
}
