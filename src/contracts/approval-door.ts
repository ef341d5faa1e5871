// Questions that a person answers at another place than the one that asks, as doors put, list and answer them. The broker's desk implements it.
import type { ApprovalAnswer, ApprovalKind, ApprovalQuestion, GivenAnswer } from "./approval.ts";

/** One open question in a list. */
export interface OpenQuestion {
  readonly id: string;
  readonly kind: ApprovalKind | "connection";
  /** Beginning of the command's words, or host and port; at most 256 characters. Escaped by whoever shows it. */
  readonly about: readonly string[];
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
}

export interface OpenQuestions {
  /** Another number whenever a question came or went. */
  readonly revision: number;
  /** Oldest first. */
  readonly questions: readonly OpenQuestion[];
}

export interface ApprovalDoor {
  /** Resolves with the answer. Aborted: the question is withdrawn. @throws APPROVAL_LIMIT, APPROVAL_UNAVAILABLE, BROKER_UNAVAILABLE */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<GivenAnswer>;
  /** @param io `after`: waits until the revision is another */
  list(io: { readonly after?: number; readonly signal: AbortSignal }): Promise<OpenQuestions>;
  /** Everything that the answer would cover. @throws APPROVAL_UNKNOWN */
  show(approval: string): Promise<ApprovalQuestion>;
  /** Once. @throws APPROVAL_UNKNOWN; ACCESS_REFUSED for a grant from where the question came, or from no terminal */
  answer(approval: string, answer: ApprovalAnswer): Promise<void>;
}

/** Where whoever asks or answers stands: see kit/terminal-standing.ts. */
export interface Standing {
  /** Device numbers of the controlling terminals of it and of all that started it. */
  readonly terminals: readonly number[];
  /** It is in the foreground of a terminal of its own. */
  readonly isInForeground: boolean;
}

/** The broker's side of an `ApprovalDoor`. */
export interface AnswerDesk {
  /** A question is open, or somebody waits for one. */
  readonly isUsed: boolean;
  ask(question: ApprovalQuestion, io: { readonly asker: Standing; readonly signal: AbortSignal }): Promise<GivenAnswer>;
  list: ApprovalDoor["list"];
  show(approval: string): ApprovalQuestion;
  answer(approval: string, answer: ApprovalAnswer, from: Standing): void;
}
