// One plain HTTP request, forwarded with framing of our own over a connection that was opened for it, and its response back. It follows no redirect.
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { EgressDecision } from "../contracts/egress-policy.ts";
import type { EgressBudget } from "./egress-budget.ts";
import { forwardedHeaders, type RequestTarget } from "./judge-request.ts";
import type { Opened } from "./open-connection.ts";
import { EgressEnd, type EndReason, isRefusal, type RefusalReason } from "./reason.ts";
import { answerAbout } from "./refusal-answer.ts";
import { countReceived, countSent, type Meter } from "./splice.ts";
import { spokenBy } from "./traffic-log.ts";

/** A server may think so long about a request. */
const answerMs = 15 * 60_000;

export interface Forwarding {
  readonly opened: Opened;
  /** By which this request passes. */
  readonly decision: EgressDecision;
  readonly target: RequestTarget;
  readonly budget: EgressBudget;
  /**
   * A limit was reached. Resolves when that is recorded: until then the client must stay, or nobody sees whose it is.
   * @param about with the rule that allowed the connection
   */
  refused(about: { readonly reason: RefusalReason; readonly rule: string | undefined }): Promise<unknown>;
}

/** Answers that a server may announce before it gives one. */
const mostInterim = 32;

/** Counted like the rest, although nobody counts letters exactly. */
export function headBytes({ rawHeaders, url }: { readonly rawHeaders: readonly string[]; readonly url?: string | undefined }): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + 2, (url ?? "").length + 16);
}

function pumpBody(from: IncomingMessage, to: NodeJS.WritableStream, count: (bytes: number) => boolean): void {
  from.on("data", (chunk: Buffer) => {
    if (count(chunk.length) && !to.write(chunk)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.on("end", () => to.end());
}

/** One request on its way: how it ends, and what it may still carry. */
export class Exchange {
  readonly #forwarding: Forwarding;
  readonly #response: ServerResponse;
  readonly #meter: Meter;
  readonly #over = Promise.withResolvers<void>();
  #isAnswered = false;
  #interim = 0;
  #isOver = false;
  /** Nothing passes any more; how it ends is settled. */
  #limit: RefusalReason | undefined;

  constructor(forwarding: Forwarding, response: ServerResponse, meter: Meter) {
    this.#forwarding = forwarding;
    this.#response = response;
    this.#meter = meter;
    response.on("close", () => this.stop(response.writableFinished ? "ended" : "broken"));
  }

  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Only the first counts: what comes of it is no other end. */
  stop(reason: RefusalReason | EndReason): void {
    if (this.#limit === undefined) this.#finish(reason);
  }

  #finish(reason: RefusalReason | EndReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const response = this.#response;
    this.#forwarding.opened.end(reason);
    if (reason !== "ended" && !response.headersSent) {
      const end = new EgressEnd(reason, isRefusal(reason) ? this.#meter.decision.ruleId : undefined);
      const { status, headers, body } = answerAbout(end, this.#forwarding.target);
      response.writeHead(status, headers).end(body);
    } else if (reason !== "ended") response.destroy();
    this.#over.resolve();
  }

  #within(limit: RefusalReason | undefined): boolean {
    if (limit === undefined) return true;
    this.#limit = limit;
    const recorded = this.#forwarding.refused({ reason: limit, rule: this.#meter.decision.ruleId });
    this.#forwarding.opened.end(limit);
    void recorded.then(() => this.#finish(limit));
    return false;
  }

  get #isMoving(): boolean {
    return !this.#isOver && this.#limit === undefined;
  }

  mayReceive(bytes: number): boolean {
    return this.#isMoving && this.#within(countReceived(this.#meter, bytes));
  }

  maySend(bytes: number): boolean {
    return this.#isMoving && this.#within(countSent(this.#meter, bytes));
  }

  /** RFC 9110, 15.2: not carried on, and counted all the same. */
  announced(head: { readonly rawHeaders: readonly string[] }): void {
    this.#interim += 1;
    if (this.#interim > mostInterim) this.stop("broken");
    else this.mayReceive(headBytes(head));
  }

  answer(answer: IncomingMessage): void {
    this.#isAnswered = true;
    const { statusCode = 502, statusMessage = "", rawHeaders } = answer;
    // The proxy's word about who we are is none of the client's business.
    if (statusCode === 407 && this.#forwarding.opened.proxy !== undefined) return this.stop("proxy");
    // Nobody asked for another protocol, and none comes.
    if (statusCode === 101) return this.stop("broken");
    if (!this.mayReceive(headBytes(answer))) return;
    answer.on("error", () => this.stop("broken"));
    answer.on("aborted", () => this.stop("broken"));
    try {
      this.#response.writeHead(statusCode, statusMessage, forwardedHeaders(rawHeaders));
    } catch {
      return this.stop("broken"); // what the server sent is no header that anybody may write
    }
    pumpBody(answer, this.#response, (bytes) => this.mayReceive(bytes));
  }

  /** What follows is no exchange any more: both connections are somebody else's. @returns false when it has ended already */
  handOver(): boolean {
    if (!this.#isMoving) return false;
    this.#isOver = true;
    this.#over.resolve();
    return true;
  }

  /** A server that answers with another protocol has not answered. */
  closed(): void {
    if (!this.#isAnswered) this.stop("broken");
  }
}

/** RFC 9112, 3.2.2: what a proxy is asked for; 3.2.4: `*` has no path there. */
function absoluteForm({ authority, path }: RequestTarget): string {
  return `http://${authority}${path === "*" ? "" : path}`;
}

export function meterFor(protocol: "http" | "ws", { opened, decision, budget }: Forwarding): Meter {
  const { entry } = opened;
  spokenBy(entry, protocol, decision);
  entry.checked = "http";
  return { entry, budget, decision };
}

/** The request as we write it, on the connection that was opened for it. */
export function beginRequest(
  incoming: IncomingMessage,
  about: { readonly exchange: Exchange; readonly socket: Socket; readonly path: string; readonly headers: readonly string[] },
): ClientRequest {
  const { exchange, socket: outside, path, headers } = about;
  const outgoing = request({
    method: incoming.method,
    path,
    headers: [...forwardedHeaders(incoming.rawHeaders), ...headers],
    maxHeaderSize: 32_768,
    createConnection: () => outside,
  });
  // A company's proxy has answered on it before: it is paused.
  outgoing.once("socket", (socket) => socket.resume());
  outgoing.setTimeout(answerMs, () => exchange.stop("timeout"));
  outgoing.on("error", () => exchange.stop("broken"));
  outgoing.on("close", () => exchange.closed());
  outgoing.on("information", (head: { readonly rawHeaders: readonly string[] }) => exchange.announced(head));
  outgoing.on("response", (answer) => exchange.answer(answer));
  incoming.on("error", () => exchange.stop("broken"));
  return outgoing;
}

/** Resolves when it is over, however it ended; both connections are closed then. */
export async function forwardRequest(incoming: IncomingMessage, response: ServerResponse, forwarding: Forwarding): Promise<void> {
  const { opened, target } = forwarding;
  const exchange = new Exchange(forwarding, response, meterFor("http", forwarding));
  const outgoing = beginRequest(incoming, {
    exchange,
    socket: opened.socket,
    path: opened.proxy === undefined ? target.path : absoluteForm(target),
    headers: ["Host", target.authority, ...(opened.proxy?.headers ?? [])],
  });
  if (exchange.maySend(headBytes(incoming))) {
    outgoing.flushHeaders();
    pumpBody(incoming, outgoing, (bytes) => exchange.maySend(bytes));
  }
  await exchange.over;
}
