// The answer sheet: seven questions about a policy or a past task, answered as data so that every door can show it.
import type { Sentence } from "./sentence.ts";

export type Question = "read" | "write" | "connect" | "identity" | "happened" | "kept" | "held";

export interface AnswerSheet {
  readonly subject:
    | { readonly kind: "policy"; readonly hash: string }
    | { readonly kind: "task"; readonly id: string; readonly policyHash: string };
  /** All seven, in this order: read, write, connect, identity, happened, kept, held. */
  readonly answers: readonly { readonly question: Question; readonly lines: readonly Sentence[] }[];
}
