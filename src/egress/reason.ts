// Why a connection ended, did not come to be, or was refused: stable words for records and for what a person is told.

export const refusalReasons = [
  "rule",
  /** It would need a person's answer, and nobody can be asked. */
  "ask",
  "ask-refused",
  /** Nobody answered in time. */
  "ask-unanswered",
  /** Too many questions. */
  "ask-limit",
  /** No rule is about it. */
  "default",
  /** Only a rule is that holds at other times. */
  "window",
  "address",
  "local-name",
  /** An allowed name leads to a place that is not public, or that a rule denies. */
  "resolved-address",
  /** What the client spoke is none of the protocols that the rules allow there. */
  "protocol",
  /** A WebSocket where the rules allow plain requests. */
  "upgrade",
  /** Other requests may pass there: no rule names its method and path. */
  "request",
  "sni-missing",
  "sni-mismatch",
  /** A request for another host than the connection was allowed for. */
  "host-mismatch",
  "malformed",
  /** The policy was replaced, and the new one does not allow it. */
  "revoked",
  "limit-connections",
  "limit-bytes",
  "limit-request",
  "limit-response",
  "limit-names",
  /** More questions for names in a second than the kernel lets through. */
  "limit-questions",
  /** It could not be recorded. */
  "unrecorded",
  /** The kernel refused it: no protocol that the gate carries. */
  "unsupported",
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** How an allowed connection ended; `proxy`: the company's proxy would not. */
export const endReasons = ["ended", "broken", "timeout", "unresolvable", "unreachable", "proxy", "closed"] as const;
export type EndReason = (typeof endReasons)[number];

const refusals: ReadonlySet<string> = new Set(refusalReasons);
export const isRefusal = (reason: RefusalReason | EndReason): reason is RefusalReason => refusals.has(reason);

/** Ends one connection; carries why. */
export class EgressEnd extends Error {
  override readonly name = "EgressEnd";
  readonly reason: RefusalReason | EndReason;
  /** The rule that decided, where one did. */
  readonly rule: string | undefined;

  constructor(reason: RefusalReason | EndReason, rule?: string) {
    super(reason);
    this.reason = reason;
    this.rule = rule;
  }
}
