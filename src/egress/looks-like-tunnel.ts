// Whether an ended connection was as a tunnel would be: long, and as much one way as the other. It tells a person and refuses nothing: whoever pads
// what he sends looks like anything else.
import type { EgressConnection } from "../contracts/egress-record.ts";

/** Those in which nobody looks; `ssh` is allowed as what it is. */
const unseen: ReadonlySet<string | undefined> = new Set(["https", "ws", "tcp"]);
const longMs = 5 * 60_000;
/** Each way: greetings and keeping alive need less. */
const leastBytes = 16_384;

export function looksLikeTunnel({
  protocol,
  sentBytes,
  receivedBytes,
  durationMs,
}: Pick<EgressConnection, "protocol" | "sentBytes" | "receivedBytes" | "durationMs">): boolean {
  const [less = 0, more = 0] = [sentBytes, receivedBytes].toSorted((one, other) => one - other);
  return unseen.has(protocol) && durationMs >= longMs && less >= leastBytes && more <= 2 * less;
}
