// A decision is a value: what was asked, what was answered, by which rule and why. Never an exception.

/** One command asked for. Bytes that are not UTF-8 cannot be asked for at the command-line door, so strings suffice. */
export interface CommandRequest {
  readonly kind: "command";
  readonly argv: readonly string[];
  /** Absolute path on the host, equal inside. */
  readonly cwd: string;
  /** Asked to run outside any sandbox: by an entry of the policy's `outside`, or, without one, as it is. */
  readonly outside?: { readonly entry: string | undefined };
}

export type Verdict = "allow" | "ask" | "deny";

export interface Decision {
  readonly verdict: Verdict;
  /** The rule that decided; undefined when the default did. */
  readonly ruleId: string | undefined;
  /** Stable word for programs. `closed`: the policy opens no way out of the sandbox. `mismatch`: the words are not those of the entry. */
  readonly reasonCode: "rule" | "default" | "error" | "closed" | "mismatch";
  /** The rule's own reason as its author wrote it (untrusted text), or empty. */
  readonly reason: string;
}
