// Plain HTTP and CONNECT, read by Node's own parser in its strict form: one request for each connection, judged whole before anything is opened.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { PlainRequest } from "../contracts/egress-policy.ts";
import { Remembered } from "../kit/remembered.ts";
import { headerMs } from "./first-bytes.ts";
import { type Forwarding, forwardRequest } from "./forward-request.ts";
import { forwardUpgrade } from "./forward-upgrade.ts";
import { connectPlace, type ConnectPlace, judgeConnect, judgeRequest, type RequestTarget } from "./judge-request.ts";
import { type Asked, openConnection, type Opened, type OpenParts, refuse } from "./open-connection.ts";
import { plainRequest } from "./plain-request.ts";
import { EgressEnd, type RefusalReason } from "./reason.ts";
import { answerAbout, type RefusalAnswer, refusalAnswer, writtenAnswer } from "./refusal-answer.ts";

/** What a connection is here for. */
type Context =
  | { readonly kind: "proxy"; readonly socket: Socket }
  /** Captured, or the inside of a tunnel: the way out is open already, to one host. */
  | { readonly kind: "opened"; readonly socket: Socket; readonly asked: Asked; readonly opened: Opened };

/** @param connect runs the tunnel of a CONNECT; the client has been told nothing yet */
export type OnConnect = (client: Socket, place: { readonly host: string; readonly port: number }) => void;

const asking = { http: ["http"], ws: ["http", "ws"] } as const;

const mostPlaces = 64;

const nowhere = { host: "", port: 0, via: "http" } as const;

/** Says why and hangs up, also on a client that does not listen. */
export function hangUp(socket: Duplex, answer: RefusalAnswer, method?: string): void {
  if (socket.writable) socket.end(writtenAnswer(answer, method));
  const timer = setTimeout(() => socket.destroy(), 1000).unref();
  socket.once("close", () => clearTimeout(timer));
  socket.resume();
}

export class HttpFront {
  readonly #parts: OpenParts;
  readonly #connect: OnConnect;
  readonly #server: Server;
  /** Of CONNECT, by how clients wrote them: the same few again and again. */
  readonly #places = new Remembered<{ readonly place: ConnectPlace | undefined }>(mostPlaces);
  readonly #contexts = new WeakMap<Duplex, Context>();
  readonly #timers = new WeakMap<Duplex, NodeJS.Timeout>();

  constructor(parts: OpenParts, connect: OnConnect) {
    this.#parts = parts;
    this.#connect = connect;
    this.#server = createServer({ insecureHTTPParser: false, maxHeaderSize: 16_384, requireHostHeader: false });
    // Node would leave out silently what goes beyond: we count ourselves.
    this.#server.maxHeadersCount = 0;
    // A client may say all it has and listen.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    // Node would ask for the body before anybody has judged, and answer other expectations itself.
    for (const event of ["request", "checkContinue", "checkExpectation"])
      this.#server.on(event, (request: IncomingMessage, response: ServerResponse) => void this.#onRequest(request, response));
    this.#server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#onConnect(request, socket, head));
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => void this.#onUpgrade(request, socket, head));
    this.#server.on("clientError", (_error: Error, socket: Duplex) => this.#malformed(socket, this.#take(socket)));
  }

  /** A client that uses the gate as its proxy. */
  acceptProxy(socket: Socket): void {
    this.#accept({ kind: "proxy", socket });
  }

  /** A client whose way out is open, and whose first bytes look like a request. */
  acceptOpened(socket: Socket, asked: Asked, opened: Opened): void {
    socket.once("close", () => opened.end("ended"));
    // Gone before the client has asked for anything.
    opened.socket.once("close", () => void (this.#contexts.has(socket) && socket.resetAndDestroy()));
    this.#accept({ kind: "opened", socket, asked, opened });
  }

  #accept(context: Context): void {
    const { socket } = context;
    this.#contexts.set(socket, context);
    const late = (): void => {
      this.#take(socket);
      hangUp(socket, refusalAnswer(408, "timeout"));
    };
    this.#timers.set(socket, setTimeout(late, headerMs));
    socket.once("close", () => this.#take(socket));
    this.#server.emit("connection", socket);
    // What was looked at and put back is still to be read.
    socket.resume();
  }

  /** The connection's one purpose; undefined when it has had it. */
  #take(socket: Duplex): Context | undefined {
    clearTimeout(this.#timers.get(socket));
    const context = this.#contexts.get(socket);
    this.#contexts.delete(socket);
    return context;
  }

  #malformed(socket: Duplex, context: Context | undefined): void {
    if (context === undefined) return void socket.destroy();
    const { remotePort: clientPort } = context.socket;
    void refuse(context.kind === "opened" ? context.asked : { ...nowhere, clientPort }, this.#parts, { reason: "malformed" });
    if (context.kind === "opened") context.opened.end("malformed");
    hangUp(socket, refusalAnswer(400, "malformed"));
  }

  #placeOf(url: string): ConnectPlace | undefined {
    return this.#places.of(url, () => ({ place: connectPlace(url) })).place;
  }

  #onConnect({ method = "", url = "", httpVersion, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer): void {
    const context = this.#take(socket);
    const place = judgeConnect({ method, url, httpVersion, rawHeaders }, (text) => this.#placeOf(text));
    // What comes before our answer was never judged.
    if (context?.kind !== "proxy" || place === undefined || head.length > 0) return this.#malformed(socket, context);
    context.socket.pause();
    this.#connect(context.socket, place);
  }

  async #refused(
    asked: Omit<Asked, "protocols">,
    opened: Opened,
    about: { readonly reason: RefusalReason; readonly rule?: string | undefined },
  ): Promise<never> {
    opened.end(about.reason);
    throw await refuse(asked, this.#parts, about);
  }

  /** @param protocol that the rules must allow there @param request undefined: of one that becomes a WebSocket */
  async #permitted(
    target: RequestTarget,
    context: Context,
    protocol: "http" | "ws",
    request?: PlainRequest,
  ): Promise<Pick<Forwarding, "opened" | "decision">> {
    const asked = this.#askedBy(target, context);
    // Where plain requests are allowed, one for another protocol is refused by that name.
    const opened =
      context.kind === "opened" ? context.opened : await openConnection({ ...asked, protocols: asking[protocol] }, this.#parts);
    if (target.host !== asked.host || target.port !== asked.port) return this.#refused(asked, opened, { reason: "host-mismatch" });
    const place = opened.allowed.get(protocol);
    if (place === undefined) return this.#refused(asked, opened, { reason: protocol === "ws" ? "upgrade" : "protocol" });
    const decision = request === undefined ? place : opened.permits(request);
    return decision === undefined ? this.#refused(asked, opened, { reason: "request", rule: place.ruleId }) : { opened, decision };
  }

  #askedBy({ host, port }: RequestTarget, context: Context): Omit<Asked, "protocols"> {
    return context.kind === "opened" ? context.asked : { host, port, via: "http", clientPort: context.socket.remotePort };
  }

  #forwarding(target: RequestTarget, context: Context, permitted: Pick<Forwarding, "opened" | "decision">): Forwarding {
    const asked = this.#askedBy(target, context);
    return { ...permitted, target, budget: this.#parts.budget, refused: (about) => refuse(asked, this.#parts, about) };
  }

  async #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { method = "", url = "", httpVersion, rawHeaders } = request;
    const context = this.#take(socket);
    if (context === undefined) return void socket.destroy();
    const form = context.kind === "proxy" ? "absolute" : "origin";
    // What comes before the server has agreed was never judged.
    const target = head.length > 0 ? undefined : judgeRequest({ method, url, httpVersion, rawHeaders }, form, true);
    if (target === undefined) return this.#malformed(socket, context);
    try {
      const permitted = await this.#permitted(target, context, "ws");
      await permitted.opened.proxy?.tunnel();
      await forwardUpgrade(request, context.socket, this.#forwarding(target, context, permitted));
    } catch (error) {
      hangUp(socket, answerAbout(error instanceof EgressEnd ? error : new EgressEnd("broken"), target), method);
    }
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, method = "", url = "", httpVersion, rawHeaders } = request;
    const context = this.#take(socket);
    // A second request on the same connection: we said `close`.
    if (context === undefined) return void socket.destroy();
    const target = judgeRequest({ method, url, httpVersion, rawHeaders }, context.kind === "proxy" ? "absolute" : "origin");
    if (target === undefined) return this.#malformed(socket, context);
    response.shouldKeepAlive = false;
    try {
      const permitted = await this.#permitted(target, context, "http", plainRequest({ method, rawHeaders }, target));
      if (request.headers.expect !== undefined && httpVersion === "1.1") response.writeContinue();
      await forwardRequest(request, response, this.#forwarding(target, context, permitted));
    } catch (error) {
      hangUp(socket, answerAbout(error instanceof EgressEnd ? error : new EgressEnd("broken"), target), method);
    }
  }
}
