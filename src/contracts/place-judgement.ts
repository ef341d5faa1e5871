// What a policy says about one place, for whoever touches it on the host in an agent's name. Not a wall: those hold inside a sandbox.

export interface PlaceQuestion {
  readonly access: "read" | "write";
  /** Absolute; judged as written and behind its links. */
  readonly place: string;
}

/**
 * `open`: the policy, or the default view, opens it. `denied`: a rule or a protected name forbids it. `unnamed`: no rule is about it, and a
 * sandbox would not have it.
 */
export type PlaceJudgement = "open" | "denied" | "unnamed";
