// What a policy says about one place that somebody touches on the host in an agent's name. Pure; the facts about the machine are handed in.
import type { PathPolicy } from "../contracts/boundary.ts";
import type { PlaceJudgement, PlaceQuestion } from "../contracts/place-judgement.ts";
import { judgeRead, judgeWrite } from "./path-rules.ts";

export interface PlaceFacts {
  readonly canonicalPath: (absolute: string) => string;
  /** Whether every sandbox shows a place by itself. */
  readonly isShown: (canonical: string) => boolean;
  /** Whether a place has a name that nobody may make or change in a write root. */
  readonly isProtected: (absolute: string) => boolean;
}

function judgeOne(paths: PathPolicy, { access, place }: PlaceQuestion, facts: PlaceFacts): PlaceJudgement {
  const reading = judgeRead(paths, place);
  if (reading === "deny") return "denied";
  if (access === "read") return reading === "allow" || facts.isShown(place) ? "open" : "unnamed";
  if (judgeWrite(paths, place) === "allow") return facts.isProtected(place) ? "denied" : "open";
  // Without its denies: what is refused only because no root holds it is named by no rule.
  return judgeWrite({ ...paths, denyWrite: [] }, place) === "allow" ? "denied" : "unnamed";
}

/** As written and behind its links, each part of which may be one: a denial of either counts. @param paths absolute and canonical */
export function judgePlace(paths: PathPolicy, { access, place }: PlaceQuestion, facts: PlaceFacts): PlaceJudgement {
  const real = judgeOne(paths, { access, place: facts.canonicalPath(place) }, facts);
  const written = judgeOne(paths, { access, place }, facts);
  // A link on the way to the project (a home below another name) is no reason to refuse it; a denial of either name is.
  return written === "denied" ? written : real;
}
