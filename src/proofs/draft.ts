// One judged claim before it is known which walls stand, and the small words that every judge uses.
import type { Question } from "../contracts/answer-sheet.ts";
import type { Proof, ProofVerdict, WallName } from "../contracts/proof.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { errnoOf } from "./probe-script.ts";
import type { Seen } from "./run-probes.ts";

export interface Draft {
  readonly id: string;
  readonly question: Question;
  readonly claim: Sentence;
  readonly probe: Sentence;
  readonly inside: Sentence;
  readonly host: Sentence;
  readonly verdict: ProofVerdict;
  /** What holds it by design. */
  readonly walls: readonly WallName[];
}

export const say = (key: string, values: Readonly<Record<string, string | number>> = {}): Sentence => ({ key, values });

/** What the probe met, in one word: `ok`, an errno or an exit code. */
export function insideOf(seen: Seen, id: string): Sentence {
  const answer = seen.answers.get(id);
  return answer === undefined ? say("proof.inside.silent") : say("proof.inside.answered", { answer: errnoOf(answer) });
}

/** A claim about a probe that never answered is not proved, whatever the host saw. */
export function verdictOf(seen: Seen, id: string, holds: boolean): ProofVerdict {
  if (!seen.answers.has(id)) return holds ? "not-probed" : "not-held";
  return holds ? "held" : "not-held";
}

/** @param standing walls that were seen in this run */
export function finishDraft({ walls, ...draft }: Draft, standing: ReadonlySet<WallName>): Proof {
  return {
    ...draft,
    heldBy: draft.verdict === "held" ? walls.filter((wall) => standing.has(wall)) : [],
    missing: draft.verdict === "held" ? [] : walls.filter((wall) => !standing.has(wall)),
  };
}
