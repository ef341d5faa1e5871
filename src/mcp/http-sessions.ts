// Sessions of clients that speak the protocol of 2025 over HTTP: each has its own server and its own sandbox, until its client ends it, or is not heard of
// for long. INVARIANT I-10, I-16
import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { McpServing } from "../contracts/mcp-servers.ts";
import { errorResponse } from "./http-answer.ts";
import { makeServer } from "./make-server.ts";
import { messageBytes, Session } from "./session.ts";

export const sessionsAtOnce = 16;
/** Without an open request. */
const idleMs = 30 * 60_000;

interface HeldSession {
  readonly session: Session;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  requests: number;
  timer: NodeJS.Timeout | undefined;
}

export class HttpSessions {
  readonly #serving: McpServing;
  readonly #held = new Map<string, HeldSession>();
  readonly #endings = new Set<Promise<void>>();
  #beginning = 0;

  constructor(serving: McpServing) {
    this.#serving = serving;
  }

  /** A request of this session is open until the returned function is called. */
  use(id: string): () => void {
    const held = this.#held.get(id);
    if (held === undefined) return () => {};
    held.requests += 1;
    clearTimeout(held.timer);
    return () => {
      held.requests -= 1;
      if (held.requests === 0) this.#watch(id, held);
    };
  }

  #watch(id: string, held: HeldSession): void {
    if (this.#held.get(id) === held) held.timer = setTimeout(() => void this.#end(id), idleMs);
  }

  /** @param id of the request's header; undefined: it begins a session, or can only be told that it should */
  async answer(id: string | undefined, request: Request): Promise<Response> {
    if (id === undefined) return this.#begin(request);
    const held = this.#held.get(id);
    // What a client has to hear to begin a new one.
    if (held === undefined) return errorResponse(404, "Session not found");
    return held.transport.handleRequest(request);
  }

  async #begin(request: Request): Promise<Response> {
    if (this.#held.size + this.#beginning >= sessionsAtOnce) return this.#tooMany();
    this.#beginning += 1;
    try {
      const session = new Session(this.#serving);
      const transport = this.#transportFor(session);
      await makeServer(session).connect(transport);
      const response = await transport.handleRequest(request);
      const { sessionId } = transport;
      if (sessionId === undefined || !this.#held.has(sessionId)) await transport.close();
      return response;
    } finally {
      this.#beginning -= 1;
    }
  }

  #transportFor(session: Session): WebStandardStreamableHTTPServerTransport {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: messageBytes,
      onsessioninitialized: (id) => {
        const held: HeldSession = { session, transport, requests: 0, timer: undefined };
        this.#held.set(id, held);
        this.#watch(id, held);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    return transport;
  }

  #tooMany(): Response {
    const { say } = this.#serving;
    const { row, sentence, hint } = new GloveboxError("SANDBOX_LIMIT", "mcp.too-many-sessions", { values: { maximum: sessionsAtOnce } });
    return errorResponse(row.status, `${say(sentence)}. ${say(hint)}`);
  }

  async #end(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    clearTimeout(held.timer);
    const ending = held.transport.close().then(() => held.session.sandbox.close());
    this.#endings.add(ending);
    await ending;
    this.#endings.delete(ending);
  }

  /** Resolves when nothing is left of any session. */
  async close(): Promise<void> {
    for (const id of this.#held.keys()) void this.#end(id);
    await Promise.all(this.#endings);
  }
}
