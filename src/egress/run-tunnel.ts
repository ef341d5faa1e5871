// A byte stream to one place: captured, through CONNECT or through SOCKS. What is spoken in it is judged by its first bytes before any of them leaves.
import type { Socket } from "node:net";
import type { EgressProtocol } from "../contracts/egress-policy.ts";
import { judgeFirstBytes, type Judged, readUntil } from "./first-bytes.ts";
import { type Asked, openConnection, type Opened, type OpenParts, refuse } from "./open-connection.ts";
import { EgressEnd, isRefusal } from "./reason.ts";
import { splice } from "./splice.ts";
import { spokenBy } from "./traffic-log.ts";

type Settled = Exclude<Judged, { readonly kind: "more" }>;

export interface TunnelParts extends OpenParts {
  /** Takes over a client that speaks plain HTTP; its bytes are unread. */
  acceptHttp(client: Socket, asked: Asked, opened: Opened): void;
}

/** What the client is told before its own bytes begin. */
export interface TunnelAnswer {
  accepted(): void;
  refused(end: EgressEnd): void;
}

function splicedAs(client: Socket, asked: Asked, parts: TunnelParts, about: { opened: Opened; protocol: EgressProtocol }): void {
  const { opened, protocol } = about;
  const decision = opened.allowed.get(protocol);
  if (decision === undefined) throw new TypeError("not allowed");
  const { entry } = opened;
  spokenBy(entry, protocol, decision);
  entry.checked = protocol === "https" ? "tls" : "none";
  splice(client, opened.socket, { entry, budget: parts.budget, decision }, (reason) => {
    if (isRefusal(reason)) void refuse(asked, parts, { reason, rule: decision.ruleId });
    opened.end(reason);
  });
}

/** They stay unread. A client that has said nothing yet is hung up on when its way out is gone. */
async function judgeClient(client: Socket, asked: Asked, opened: Opened): Promise<Settled> {
  const hangUp = (): void => void client.resetAndDestroy();
  opened.socket.once("close", hangUp);
  try {
    return await readUntil(client, (seen) => {
      const reading = judgeFirstBytes(seen, asked.host, opened.allowed);
      return reading.kind === "more" ? undefined : { value: reading, length: 0 };
    });
  } finally {
    opened.socket.off("close", hangUp);
  }
}

async function serve(client: Socket, asked: Asked, parts: TunnelParts, opened: Opened): Promise<void> {
  // Whoever may speak anything may also wait for the server to speak first.
  if (opened.allowed.has("tcp")) return splicedAs(client, asked, parts, { opened, protocol: "tcp" });
  const judged = await judgeClient(client, asked, opened);
  if (judged.kind === "refused") throw await refuse(asked, parts, { reason: judged.reason });
  if (judged.protocol !== "http") {
    await opened.proxy?.tunnel();
    return splicedAs(client, asked, parts, { opened, protocol: judged.protocol });
  }
  parts.acceptHttp(client, asked, opened);
}

/** Never rejects. */
export async function runTunnel(client: Socket, asked: Asked, parts: TunnelParts, answer: TunnelAnswer): Promise<void> {
  let opened: Opened;
  try {
    opened = await openConnection(asked, parts);
  } catch (error) {
    return answer.refused(error instanceof EgressEnd ? error : new EgressEnd("broken"));
  }
  try {
    if (client.destroyed) throw new EgressEnd("broken");
    answer.accepted();
    await serve(client, asked, parts, opened);
  } catch (error) {
    opened.end(error instanceof EgressEnd ? error.reason : "broken");
    client.resetAndDestroy();
  }
}
