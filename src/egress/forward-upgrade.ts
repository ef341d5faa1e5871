// A WebSocket without TLS: its request is forwarded like any other, and once the server has agreed it is a tunnel with the limits and the record of one.
// No frame is read.
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { beginRequest, Exchange, type Forwarding, headBytes, meterFor } from "./forward-request.ts";
import { forwardedHeaders, headerPairs } from "./judge-request.ts";
import { isRefusal } from "./reason.ts";
import { type Meter, splice } from "./splice.ts";

const switching = ["Connection", "Upgrade", "Upgrade", "websocket"] as const;

/** RFC 6455, 4.2.2. */
function agreement({ rawHeaders }: IncomingMessage): string {
  const lines = headerPairs([...forwardedHeaders(rawHeaders), ...switching]).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`;
}

interface Ends {
  readonly client: Socket;
  readonly forwarding: Forwarding;
  readonly meter: Meter;
}

function spliceBoth({ client, forwarding, meter }: Ends): void {
  const { opened } = forwarding;
  splice(client, opened.socket, meter, (reason) => {
    if (isRefusal(reason)) void forwarding.refused({ reason, rule: meter.decision.ruleId });
    opened.end(reason);
  });
}

/** Resolves when the server has agreed, or when all is over. */
export async function forwardUpgrade(incoming: IncomingMessage, client: Socket, forwarding: Forwarding): Promise<void> {
  const { opened, target } = forwarding;
  const meter = meterFor("ws", forwarding);
  // For a server that does not agree, whose answer is one like any other.
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  response.assignSocket(client);
  response.once("finish", () => client.end());
  const exchange = new Exchange(forwarding, response, meter);
  const headers = ["Host", target.authority, ...switching];
  const outgoing = beginRequest(incoming, { exchange, socket: opened.socket, path: target.path, headers });
  outgoing.on("upgrade", (answer, _socket, first: Buffer) => {
    const isWebSocket = answer.headers.upgrade?.toLowerCase() === "websocket";
    if (!isWebSocket) return exchange.stop("broken");
    if (!exchange.mayReceive(headBytes(answer) + first.length) || !exchange.handOver()) return;
    response.detachSocket(client);
    client.write(Buffer.concat([Buffer.from(agreement(answer), "latin1"), first]));
    spliceBoth({ client, forwarding, meter });
  });
  if (exchange.maySend(headBytes(incoming))) outgoing.end();
  await exchange.over;
}
