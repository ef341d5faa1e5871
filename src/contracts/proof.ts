// What `prove` and `checklist` answer: claims of the answer sheet beside what a probe met inside and what the host saw.
import type { Question } from "./answer-sheet.ts";
import type { Sentence } from "./sentence.ts";

/** Walls that a proof can name. */
export type WallName = "bubblewrap" | "landlock" | "seccomp" | "no_new_privs" | "mediator" | "limits" | "broker" | "ledger";

/** `not-probed`: the probe could not be made here, which proves nothing. */
export type ProofVerdict = "held" | "not-held" | "not-probed";

export interface Proof {
  /** Stable, e.g. `write.outside`. */
  readonly id: string;
  readonly question: Question;
  readonly claim: Sentence;
  /** What was tried inside. */
  readonly probe: Sentence;
  /** What the probe reported: a claim, since it ran inside. */
  readonly inside: Sentence;
  /** What the host saw: the evidence that the verdict rests on. */
  readonly host: Sentence;
  readonly verdict: ProofVerdict;
  /** Walls that hold it by design and were seen standing in this run. */
  readonly heldBy: readonly WallName[];
  /** Of a claim that does not hold: its walls that were not seen standing. */
  readonly missing: readonly WallName[];
}

export interface ProofReport {
  /** True when every claim was probed and holds. */
  readonly holds: boolean;
  readonly policyHash: string;
  /** Of the run that made the probes. */
  readonly task: string;
  /** In the order of the questions. */
  readonly proofs: readonly Proof[];
  /** Walls that a claim needed and nobody saw. */
  readonly missingWalls: readonly WallName[];
}

export interface ChallengeTarget {
  /** `secret`, `victim`, `stray`, `planted`. */
  readonly id: string;
  readonly what: Sentence;
  /** Whether the script reached it, by the host's eyes. */
  readonly outside: boolean;
  readonly inside: boolean;
  /** `held`: reached outside, not inside. `not-tried`: reached in neither, which proves nothing. */
  readonly verdict: "held" | "reached" | "not-tried";
  /** Walls that hold it by design and that the record of the run names. */
  readonly heldBy: readonly WallName[];
}

export interface ChallengeReport {
  /** True when something was reached outside and nothing inside. */
  readonly holds: boolean;
  readonly policyHash: string;
  /** Of the run inside. */
  readonly task: string;
  readonly exitCode: number;
  readonly targets: readonly ChallengeTarget[];
  /** Names that changed in the project, but for what was planted. */
  readonly projectChanges: { readonly outside: number; readonly inside: number };
  /** Calls that the mediator refused, as the answer sheet says them. */
  readonly refused: readonly Sentence[];
}

export interface ChecklistPoint {
  readonly number: number;
  readonly title: Sentence;
  readonly verdict: "held" | "not-held" | "not-built";
  readonly evidence: readonly Sentence[];
}

export interface Checklist {
  /** True when no point is `not-held`; what is not built is said, not counted. */
  readonly holds: boolean;
  readonly policyHash: string;
  readonly points: readonly ChecklistPoint[];
}
