// What a client speaks, told from its first bytes, and whether that may be spoken there. It forwards nothing.
import type { Socket } from "node:net";
import type { EgressProtocol } from "../contracts/egress-policy.ts";
import { parseIpAddress } from "../kit/ip-address.ts";
import { longestHello, readClientHello } from "./client-hello.ts";
import type { Allowed } from "./open-connection.ts";
import { EgressEnd, type RefusalReason } from "./reason.ts";

/** For a whole greeting, ClientHello or head of a request. */
export const headerMs = 10_000;

export type Judged =
  | { readonly kind: "more" }
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  | { readonly kind: "allowed"; readonly protocol: EgressProtocol };

const more = { kind: "more" } as const;
const refused = (reason: RefusalReason) => ({ kind: "refused", reason }) as const;

function judgeTls(bytes: Uint8Array, host: string, sni: "required" | "optional"): Judged {
  const hello = readClientHello(bytes);
  if (hello.kind === "more") return more;
  if (hello.kind === "invalid") return refused("malformed");
  // An address has no server name to be sent.
  const isAddress = parseIpAddress(host) !== undefined;
  if (hello.serverName === undefined)
    return isAddress || sni === "optional" ? { kind: "allowed", protocol: "https" } : refused("sni-missing");
  return !isAddress && hello.serverName.toLowerCase() === host ? { kind: "allowed", protocol: "https" } : refused("sni-mismatch");
}

const tlsHandshake = 0x16;
const sshStart = Buffer.from("SSH-");
const isUpper = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;

/** @param bytes all that the client has sent @param allowed without `tcp`, for which nobody looks */
export function judgeFirstBytes(bytes: Uint8Array, host: string, allowed: Allowed): Judged {
  const [first] = bytes;
  if (first === undefined) return more;
  const https = allowed.get("https");
  if (first === tlsHandshake) return https === undefined ? refused("protocol") : judgeTls(bytes, host, https.sni);
  const start = sshStart.subarray(0, bytes.length);
  if (allowed.has("ssh") && start.equals(bytes.subarray(0, start.length)))
    return bytes.length < sshStart.length ? more : { kind: "allowed", protocol: "ssh" };
  // A request is judged whole by whoever reads it.
  return (allowed.has("http") || allowed.has("ws")) && isUpper(first) ? { kind: "allowed", protocol: "http" } : refused("protocol");
}

export interface Seen<Value> {
  readonly value: Value;
  /** Bytes that are done with: those behind them are put back. */
  readonly length: number;
}

/**
 * Reads until `judge` has seen enough; the socket is paused then.
 * @throws EgressEnd when the client leaves, takes too long or sends too much
 */
export async function readUntil<Value>(client: Socket, judge: (bytes: Buffer) => Seen<Value> | undefined): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  let bytes = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    const seen = judge(bytes);
    if (seen !== undefined) {
      // At once: one that ended with these bytes says so before whoever waits hears of them, and nothing can be put back behind its end.
      client.pause();
      if (bytes.length > seen.length) client.unshift(bytes.subarray(seen.length));
      resolve(seen.value);
    } else if (bytes.length > longestHello) reject(new EgressEnd("malformed"));
  };
  const onGone = (): void => reject(new EgressEnd("broken"));
  if (client.readableEnded) onGone();
  const timer = setTimeout(() => reject(new EgressEnd("timeout")), headerMs);
  client.on("data", onData).on("end", onGone).on("close", onGone).on("error", onGone);
  client.resume();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    client.pause();
    client.off("data", onData).off("end", onGone).off("close", onGone).off("error", onGone);
  }
}
