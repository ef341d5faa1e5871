// An approval as the broker and its doors know it: what a person is asked, and what they may answer.
import type { EgressProtocol } from "./egress-policy.ts";
import type { ApprovalId, Digest } from "./ids.ts";

/** `command`: runs in the sandbox. `unsandboxed`: runs outside any sandbox. `narrow`: outside too, by an entry of the policy that fixes its words. */
export type ApprovalKind = "command" | "unsandboxed" | "narrow";

/** A file whose content the approval covers. */
export interface BoundFile {
  /** `input`: the whole of standard input, read before the question. */
  readonly role: "program" | "interpreter" | "operand" | "input";
  /** Absolute, without links: the place that was opened. `-` for the input. */
  readonly path: string;
  readonly digest: Digest;
}

/** Something that may still change after the answer. */
export interface NotBound {
  /** `live-input`: what will be typed or piped. `program`: it was not found on the host, or is no regular file. `operand`: too large, too many, or no regular file. `input-files`: the command gets a copy, made after the answer. */
  readonly what: "live-input" | "program" | "operand" | "input-files";
  /** The word that was given; empty for `live-input`. */
  readonly name: string;
}

export interface ToldPlace {
  readonly url: string;
  /** Absolute, without links: the PEM file of the only authorities that may vouch for it. Absent: Node's own. */
  readonly ca?: string | undefined;
}

/** Everything here is hostile text until it is escaped. */
interface AnyQuestion {
  readonly id: ApprovalId;
  /** The rule or entry that asks; undefined when the default does. */
  readonly ruleId: string | undefined;
  readonly reason: string;
  readonly policyHash: string;
  readonly lifetimeMs: number;
  /** Whom the policy tells of it, and who may answer. */
  readonly tell: readonly ToldPlace[];
}

export interface CommandQuestion extends AnyQuestion {
  readonly kind: ApprovalKind;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly files: readonly BoundFile[];
  /** Files of `files` that lie in a write root: what ran before may have made them. */
  readonly filesInWriteRoots: readonly string[];
  readonly environmentNames: readonly string[];
  readonly notBound: readonly NotBound[];
}

/** A connection of a running task waits. The answer covers every connection of the task to this place. */
export interface ConnectionQuestion extends AnyQuestion {
  readonly kind: "connection";
  readonly task: string;
  /** Canonical name or public address. */
  readonly host: string;
  readonly port: number;
  /** What may be spoken there. */
  readonly protocols: readonly EgressProtocol[];
  /** What the asking program calls itself; undefined when it was not found. */
  readonly process: string | undefined;
}

export type ApprovalQuestion = CommandQuestion | ConnectionQuestion;

export type ApprovalAnswer = "granted" | "refused";

/** Where the person was: at the terminal of whoever asks, at another one, or behind a URL that the policy names. */
export const answerPlaces = ["terminal", "other-terminal", "webhook"] as const;

export interface GivenAnswer {
  readonly answer: ApprovalAnswer;
  readonly by: (typeof answerPlaces)[number];
  /** Of a webhook: which. */
  readonly url?: string | undefined;
}

/**
 * How a door reaches a person who sits somewhere that no sandbox can reach.
 * @param signal aborted when nobody waits for the answer any more
 */
export type AskPerson = (question: ApprovalQuestion, signal: AbortSignal) => Promise<GivenAnswer>;
