// One plain HTTP request, forwarded with framing of our own over a connection that was opened for it, and its response back. It follows no redirect.
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { EgressBudget } from "./egress-budget.ts";
import { forwardedHeaders, type RequestTarget } from "./judge-request.ts";
import type { Opened } from "./open-connection.ts";
import { type EndReason, isRefusal, type RefusalReason } from "./reason.ts";
import { countReceived, countSent, type Meter } from "./splice.ts";

/** A server may think so long about a request. */
const answerMs = 15 * 60_000;

export interface Forwarding {
  readonly opened: Opened;
  readonly target: RequestTarget;
  readonly budget: EgressBudget;
  /** A limit was reached. */
  refused(reason: RefusalReason): void;
}

/** Counted like the rest, although nobody counts letters exactly. */
function headBytes({ rawHeaders, url }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + 2, (url ?? "").length + 16);
}

function pumpBody(from: IncomingMessage, to: NodeJS.WritableStream, count: (bytes: number) => boolean): void {
  from.on("data", (chunk: Buffer) => {
    if (count(chunk.length) && !to.write(chunk)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.on("end", () => to.end());
}

/** Resolves when it is over, however it ended; both connections are closed then. */
export async function forwardRequest(incoming: IncomingMessage, response: ServerResponse, forwarding: Forwarding): Promise<void> {
  const { opened, target, budget } = forwarding;
  const decision = opened.allowed.get("http");
  if (decision === undefined) throw new TypeError("no http here");
  const meter: Meter = { entry: opened.entry, budget, decision };
  opened.entry.protocol = "http";
  opened.entry.checked = "http";
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = (reason: RefusalReason | EndReason): void => {
    opened.end(reason);
    if (reason !== "ended" && !response.headersSent) {
      response.writeHead(isRefusal(reason) ? 403 : 502, { "X-Glovebox-Refused": reason, "Content-Length": "0" }).end();
    } else if (reason !== "ended") response.destroy();
    resolve();
  };
  const within = (limit: RefusalReason | undefined): boolean => {
    if (limit === undefined) return true;
    forwarding.refused(limit);
    stop(limit);
    return false;
  };
  const headers = [...forwardedHeaders(incoming.rawHeaders), "Host", target.authority];
  const outgoing = request({
    method: incoming.method,
    path: target.path,
    headers,
    maxHeaderSize: 32_768,
    createConnection: () => opened.socket,
  });
  outgoing.setTimeout(answerMs, () => stop("timeout"));
  outgoing.on("error", () => stop("broken"));
  let isAnswered = false;
  // A server that answers with another protocol has not answered.
  outgoing.on("close", () => {
    if (!isAnswered) stop("broken");
  });
  outgoing.on("response", (answer) => {
    isAnswered = true;
    const { statusCode = 502, statusMessage = "", rawHeaders } = answer;
    if (!within(countReceived(meter, headBytes(answer)))) return;
    answer.on("error", () => stop("broken"));
    answer.on("aborted", () => stop("broken"));
    try {
      response.writeHead(statusCode, statusMessage, forwardedHeaders(rawHeaders));
    } catch {
      return stop("broken"); // what the server sent is no header that anybody may write
    }
    pumpBody(answer, response, (bytes) => within(countReceived(meter, bytes)));
  });
  response.on("close", () => stop(response.writableFinished ? "ended" : "broken"));
  incoming.on("error", () => stop("broken"));
  if (within(countSent(meter, headBytes(incoming)))) {
    outgoing.flushHeaders();
    pumpBody(incoming, outgoing, (bytes) => within(countSent(meter, bytes)));
  }
  await promise;
}
