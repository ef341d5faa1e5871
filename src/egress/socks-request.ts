// SOCKS5 (RFC 1928), as much as a gate needs: no authentication (each sandbox has its own gate sockets), CONNECT only. It parses; it does not decide.
import { canonicalHost, showHost } from "../kit/host-name.ts";
import { showIpAddress } from "../kit/ip-address.ts";

export type SocksReading<Value> =
  | { readonly kind: "more" }
  /** `reply`: what to answer before the connection is closed; empty when nothing can be said. */
  | { readonly kind: "invalid"; readonly reply: Uint8Array }
  | { readonly kind: "read"; readonly value: Value };

/** Replies of RFC 1928, section 6. */
export const socksReplies = {
  succeeded: 0,
  failed: 1,
  notAllowed: 2,
  unreachable: 4,
  commandUnsupported: 7,
  addressUnsupported: 8,
} as const;

const version = 5;
const more = { kind: "more" } as const;

const invalid = (...reply: readonly number[]) => ({ kind: "invalid", reply: Uint8Array.from(reply) }) as const;

/** With a bound address of zeros: nobody learns ours. */
export function socksReply(code: number): Uint8Array {
  return Uint8Array.from([version, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

/** The client's list of methods: `value` is the answer. */
export function readSocksGreeting(bytes: Uint8Array): SocksReading<Uint8Array> {
  const [first, count] = bytes;
  if (first !== undefined && first !== version) return invalid();
  if (count === undefined || bytes.length < 2 + count) return more;
  // What a client sends before it has the answer is no SOCKS client's.
  if (bytes.length > 2 + count) return invalid();
  return bytes.subarray(2).includes(0) ? { kind: "read", value: Uint8Array.from([version, 0]) } : invalid(version, 0xff);
}

/** Length of the address behind its type, the type's own byte not counted. */
function addressLength(type: number | undefined, next: number | undefined): number | undefined {
  if (type === 1) return 4;
  if (type === 4) return 16;
  return type === 3 && next !== undefined ? 1 + next : undefined;
}

function hostOf(type: number, address: Uint8Array): string | undefined {
  const number = address.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  if (type === 1) return showIpAddress({ family: 4, value: number });
  const text = type === 4 ? showIpAddress({ family: 6, value: number }) : Buffer.from(address.subarray(1)).toString("latin1");
  // An IPv4 address in IPv6 clothes, and an address written as a name, are that address.
  const host = canonicalHost(text);
  return host === undefined ? undefined : showHost(host);
}

/** The client's request: where it wants to go. */
export function readSocksRequest(bytes: Uint8Array): SocksReading<{ readonly host: string; readonly port: number }> {
  const [first, command, reserved, type, next] = bytes;
  if (first !== undefined && first !== version) return invalid();
  if (type === undefined) return more;
  if (reserved !== 0) return invalid(...socksReply(socksReplies.failed));
  // BIND and UDP ASSOCIATE would open ways in and ways that nobody can judge.
  if (command !== 1) return invalid(...socksReply(socksReplies.commandUnsupported));
  if (type !== 1 && type !== 3 && type !== 4) return invalid(...socksReply(socksReplies.addressUnsupported));
  const length = addressLength(type, next);
  if (length === undefined || bytes.length < 4 + length + 2) return more;
  if (bytes.length > 4 + length + 2) return invalid(...socksReply(socksReplies.failed));
  const host = hostOf(type, bytes.subarray(4, 4 + length));
  const port = (bytes[4 + length] ?? 0) * 256 + (bytes[5 + length] ?? 0);
  if (host === undefined || port === 0) return invalid(...socksReply(socksReplies.failed));
  return { kind: "read", value: { host, port } };
}
