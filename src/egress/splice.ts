// Copies between client and outside, both ways, counted, under back-pressure and within limits. It looks at nothing.
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { EgressDecision } from "../contracts/egress-policy.ts";
import { DirectSocket } from "./direct-socket.ts";
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

type Stop = (reason: RefusalReason | EndReason) => void;

/** The copied bytes lie in memory that is read into again as soon as the kernel has them all. */
function carry({ from, to, count }: Direction & { readonly from: DirectSocket }, stop: Stop): void {
  from.carry((bytes, taken) => {
    const limit = count(bytes.length);
    if (limit !== undefined) {
      stop(limit);
      return false;
    }
    to.write(bytes, () => {
      if (to.writableLength === 0) taken();
    });
    return to.writableLength === 0;
  });
}

function copy({ from, to, count }: Direction, stop: Stop): void {
  from.on("data", (chunk: Buffer) => {
    const limit = count(chunk.length);
    if (limit !== undefined) stop(limit);
    else if (!to.write(chunk)) from.pause();
  });
  to.on("drain", () => from.resume());
  // It was read from before, and is paused: a company's proxy too answers before its tunnel begins.
  from.resume();
}

/** Nothing is to be said before it is closed: no bytes wait, and TLS would take its leave. */
const isReadyToClose = (socket: Socket): boolean => socket.writableLength === 0 && !(socket instanceof TLSSocket);

function join(direction: Direction, stop: Stop): void {
  const { from, to } = direction;
  const ended = (): void => {
    // Both have said all they had, and it is on its way.
    if (to.readableEnded && isReadyToClose(from) && isReadyToClose(to)) return stop("ended");
    to.end();
    to.setTimeout(halfOpenMs);
  };
  // It may have said so while nobody listened yet.
  if (from.readableEnded) ended();
  else from.on("end", ended);
  from.on("timeout", () => stop("timeout"));
  from.on("error", () => stop("broken"));
  if (from instanceof DirectSocket) carry({ ...direction, from }, stop);
  else copy(direction, stop);
}

/** @param end called once, with how it ended; both sockets are to be closed then */
export function splice(client: Socket, outside: Socket, meter: Meter, end: Stop): void {
  let isOver = false;
  const stop = (reason: RefusalReason | EndReason): void => {
    if (isOver) return;
    isOver = true;
    client.destroy();
    end(reason);
  };
  // What comes from outside is written to the client, and counts as well.
  client.setTimeout(idleMs);
  const closed = (): void => {
    if (client.destroyed && outside.destroyed) stop("ended");
    // One that is gone without a word takes the other with it, once what was written has been taken.
    else if (client.destroyed && !outside.writableEnded) stop("broken");
    else if (outside.destroyed && !client.writableEnded) stop("broken");
  };
  client.on("close", closed);
  outside.on("close", closed);
  // One may have gone while a company's proxy was asked.
  if (client.destroyed || outside.destroyed) return closed();
  join({ from: client, to: outside, count: (bytes) => countSent(meter, bytes) }, stop);
  join({ from: outside, to: client, count: (bytes) => countReceived(meter, bytes) }, stop);
}
