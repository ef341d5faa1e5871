// Copies between client and outside, both ways, counted, under back-pressure and within limits. It looks at nothing.
import type { Socket } from "node:net";
import type { EgressDecision } from "../contracts/egress-policy.ts";
import type { EgressBudget } from "./egress-budget.ts";
import type { EndReason, RefusalReason } from "./reason.ts";
import type { OpenEntry } from "./traffic-log.ts";

/** A connection on which nothing moves for so long is given up. */
const idleMs = 15 * 60_000;
/** One side has finished: the other may still say so much time's worth. */
const halfOpenMs = 60_000;

export interface Meter {
  readonly entry: OpenEntry;
  readonly budget: EgressBudget;
  readonly decision: EgressDecision;
}

/** Counts what is about to be sent out; says why it may not be. */
export function countSent({ entry, budget, decision }: Meter, bytes: number): RefusalReason | undefined {
  entry.sentBytes += bytes;
  if (entry.sentBytes > (decision.maxRequestBytes ?? Infinity)) return "limit-request";
  return budget.takeSent(bytes) ? undefined : "limit-bytes";
}

export function countReceived({ entry, decision }: Meter, bytes: number): RefusalReason | undefined {
  entry.receivedBytes += bytes;
  return entry.receivedBytes > (decision.maxResponseBytes ?? Infinity) ? "limit-response" : undefined;
}

interface Direction {
  readonly from: Socket;
  readonly to: Socket;
  /** Why the next bytes may not pass. */
  readonly count: (bytes: number) => RefusalReason | undefined;
}

function copy({ from, to, count }: Direction, stop: (reason: RefusalReason | EndReason) => void): void {
  from.on("data", (chunk: Buffer) => {
    const limit = count(chunk.length);
    if (limit !== undefined) stop(limit);
    else if (!to.write(chunk)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.on("end", () => {
    to.end();
    to.setTimeout(halfOpenMs);
    from.setTimeout(halfOpenMs);
  });
  from.on("timeout", () => stop("timeout"));
  from.on("error", () => stop("broken"));
}

export interface SpliceEnds {
  /** Bytes of the client that were looked at already; they are sent first. */
  readonly first: Uint8Array;
  /** Called once, with how it ended; both sockets are to be closed then. */
  end(reason: RefusalReason | EndReason): void;
}

export function splice(client: Socket, outside: Socket, meter: Meter, about: SpliceEnds): void {
  let isOver = false;
  const stop = (reason: RefusalReason | EndReason): void => {
    if (isOver) return;
    isOver = true;
    client.destroy();
    about.end(reason);
  };
  client.setTimeout(idleMs);
  outside.setTimeout(idleMs);
  copy({ from: client, to: outside, count: (bytes) => countSent(meter, bytes) }, stop);
  copy({ from: outside, to: client, count: (bytes) => countReceived(meter, bytes) }, stop);
  const closed = (): void => {
    if (client.destroyed && outside.destroyed) stop("ended");
    // One that is gone without a word takes the other with it, once what was written has been taken.
    else if (client.destroyed && !outside.writableEnded) stop("broken");
    else if (outside.destroyed && !client.writableEnded) stop("broken");
  };
  client.on("close", closed);
  outside.on("close", closed);
  const limit = about.first.length === 0 ? undefined : countSent(meter, about.first.length);
  if (limit !== undefined) return stop(limit);
  if (about.first.length > 0) outside.write(about.first);
  // Both were read from before, and are paused: a company's proxy answers before its tunnel begins.
  client.resume();
  outside.resume();
}
