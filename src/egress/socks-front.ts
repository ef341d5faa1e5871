// A SOCKS5 client: greeting, request, then its own bytes.
import type { Socket } from "node:net";
import { egressProtocols } from "../contracts/egress-policy.ts";
import { readUntil } from "./first-bytes.ts";
import { refuse } from "./open-connection.ts";
import { isRefusal } from "./reason.ts";
import { runTunnel, type TunnelParts } from "./run-tunnel.ts";
import { readSocksGreeting, readSocksRequest, socksReplies, socksReply, type SocksReading } from "./socks-request.ts";

/** One step of the protocol. @returns undefined when the client has been hung up on */
async function step<Value>(
  client: Socket,
  parts: TunnelParts,
  read: (bytes: Uint8Array) => SocksReading<Value>,
): Promise<Value | undefined> {
  const said = await readUntil(client, (bytes) => {
    const reading = read(bytes);
    return reading.kind === "more" ? undefined : { value: reading, length: bytes.length };
  });
  if (said.kind === "read") return said.value;
  void refuse({ host: "", port: 0, via: "socks", clientPort: client.remotePort }, parts, { reason: "malformed" });
  client.end(said.reply);
  client.destroySoon();
  return undefined;
}

/** Never rejects. @param nameOf the name that an address stands for, or the address */
export async function serveSocks(client: Socket, parts: TunnelParts, nameOf: (host: string) => string): Promise<void> {
  try {
    const greeting = await step(client, parts, readSocksGreeting);
    if (greeting === undefined) return;
    client.write(greeting);
    const place = await step(client, parts, readSocksRequest);
    if (place === undefined) return;
    await runTunnel(
      client,
      { host: nameOf(place.host), port: place.port, via: "socks", protocols: egressProtocols, clientPort: client.remotePort },
      parts,
      {
        accepted: () => void client.write(socksReply(socksReplies.succeeded)),
        refused: ({ reason }) => {
          client.end(socksReply(isRefusal(reason) ? socksReplies.notAllowed : socksReplies.unreachable));
          client.destroySoon();
        },
      },
    );
  } catch {
    client.destroy(); // it left, or took too long: nothing was opened
  }
}
