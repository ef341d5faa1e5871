// Several clients over streamable HTTP on this machine's loopback. A client of the protocol of 2025 has a session with a sandbox of its own; newer ones
// know no sessions, and share the one sandbox of this server.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from "@modelcontextprotocol/server";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import type { McpListening, McpServing } from "../contracts/mcp-servers.ts";
import { endpoint, refusalOf } from "./http-guard.ts";
import { errorBody } from "./http-answer.ts";
import { HttpSessions } from "./http-sessions.ts";
import { makeServer } from "./make-server.ts";
import { messageBytes, Session } from "./session.ts";

const connectionsMax = 128;
const subscriptionsMax = 16;
/** How long a client may take to send what it asks. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 60_000 } as const;

function refuse(response: ServerResponse, { status, message }: { readonly status: number; readonly message: string }): void {
  const headers = { "content-type": "application/json", connection: "close", ...(status === 401 ? { "www-authenticate": "Bearer" } : {}) };
  response.writeHead(status, headers).end(errorBody(message));
}

/** @returns the authority of its URL @throws USAGE_INVALID */
async function listen(server: Server, { address, port }: McpListening): Promise<string> {
  try {
    server.listen(port, address);
    await once(server, "listening");
  } catch (error) {
    const values = { address, port, errno: systemErrorCode(error) ?? "unknown" };
    throw new GloveboxError("USAGE_INVALID", "mcp.cannot-listen", { values, cause: error });
  }
  const bound = server.address();
  const own = typeof bound === "object" && bound !== null ? bound.port : port;
  return `${address === "::1" ? "[::1]" : address}:${own}`;
}

const sessionOf = ({ headers }: IncomingMessage): string | undefined => {
  const id = headers["mcp-session-id"];
  return typeof id === "string" ? id : undefined;
};

/** The part of it that is asked for, in its exact type. */
const partsOf = (request: IncomingMessage): NodeIncomingMessageLike => ({
  method: request.method ?? "GET",
  url: request.url ?? "/",
  headers: request.headers,
  [Symbol.asyncIterator]: () => request[Symbol.asyncIterator](),
});

function untilTold({ signal }: McpServing): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  return promise;
}

/** Hands each request to the server that it is for. */
class Routes implements AsyncDisposable {
  readonly sessions: HttpSessions;
  readonly #shared: Session;
  readonly #newer: McpHttpHandler;

  constructor(serving: McpServing) {
    this.sessions = new HttpSessions(serving);
    this.#shared = new Session(serving);
    this.#newer = createMcpHandler(() => makeServer(this.#shared), {
      legacy: "reject",
      maxSubscriptions: subscriptionsMax,
      maxRequestBodySize: messageBytes,
    });
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id") ?? undefined;
    const isOlder = id !== undefined || (await isLegacyRequest(request, undefined, { maxRequestBodySize: messageBytes }));
    return isOlder ? this.sessions.answer(id, request) : this.#newer.fetch(request);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#newer.close(), this.sessions.close(), this.#shared.sandbox.close()]);
  }
}

/** Resolves when it was told to leave, and nothing is left of any sandbox. @throws USAGE_INVALID when it cannot listen there */
export async function serveHttp(serving: McpServing, listening: McpListening): Promise<void> {
  const routes = new Routes(serving);
  const answer = toNodeHandler(routes, { maxRequestBodySize: messageBytes });
  let authority = "";
  const server = createServer(timeouts, (request, response) => {
    const refusal = refusalOf(request, { authority, token: listening.token });
    if (refusal !== undefined) return refuse(response, refusal);
    const id = sessionOf(request);
    if (id !== undefined) response.once("close", routes.sessions.use(id));
    void answer(partsOf(request), response);
  });
  server.maxConnections = connectionsMax;
  authority = await listen(server, listening);
  try {
    await listening.onListening(`http://${authority}${endpoint}`);
    await untilTold(serving);
  } finally {
    server.close();
    await routes[Symbol.asyncDispose]();
    server.closeAllConnections();
  }
}
