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
  /** `live-input`: what will be typed or piped. `program`: it was not found on the host, or is no regular file. `operand`: too large, too many, or no regular file. */
  readonly what: "live-input" | "program" | "operand";
  /** The word that was given; empty for `live-input`. */
  readonly name: string;
}

/** Everything here is hostile text until it is escaped. */
interface AnyQuestion {
  readonly id: ApprovalId;
  /** The rule or entry that asks; undefined when the default does. */
  readonly ruleId: string | undefined;
  readonly reason: string;
  readonly policyHash: string;
  readonly lifetimeMs: number;
  /** URLs that the policy tells of it, and that may answer. */
  readonly tell: readonly string[];
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

/**
 * How a door reaches a person who sits somewhere that no sandbox can reach.
 * @param signal aborted when nobody waits for the answer any more
 */
export type AskPerson = (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>;
