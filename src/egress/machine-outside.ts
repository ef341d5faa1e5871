// The outside as this machine reaches it: names through the machine's resolvers (c-ares, never the C library) and hosts file, and plain connections.
import { Resolver } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { parseIpAddress } from "../kit/ip-address.ts";
import { reachUpstream, skipsProxy } from "./upstream-proxy.ts";
import type { NetworkSettings } from "./gate-messages.ts";
import type { Outside, ProxyLine } from "./open-connection.ts";
import { EgressEnd } from "./reason.ts";

const resolveMs = 8000;
const dialMs = 10_000;

/** Whatever answers later is not heard. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new EgressEnd("timeout")), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function ask(query: Promise<string[]>): Promise<readonly string[]> {
  return query.catch(() => []); // no such record, or no answer: what the other family says decides
}

/** Each with a socket of its own: bytes that are no answer end every question that waits on the same one. */
async function resolveOutside(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  try {
    const [v4, v6] = await within(Promise.all([ask(resolver.resolve4(name)), ask(resolver.resolve6(name))]), resolveMs);
    if (v4.length + v6.length === 0) throw new EgressEnd("unresolvable");
    return [...v4, ...v6];
  } finally {
    resolver.cancel();
  }
}

function dial(address: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true, autoSelectFamily: false });
  const timer = setTimeout(() => socket.destroy(new EgressEnd("timeout")), dialMs);
  socket.once("error", (error) => reject(error instanceof EgressEnd ? error : new EgressEnd("unreachable")));
  socket.once("connect", () => {
    clearTimeout(timer);
    resolve(socket);
  });
  socket.once("close", () => clearTimeout(timer));
  // Whoever gets the socket listens too; an error must never be nobody's.
  socket.on("error", () => {});
  return promise;
}

export function machineOutside({ hosts, upstream }: NetworkSettings): Outside {
  const resolve = async (name: string): Promise<readonly string[]> =>
    Object.hasOwn(hosts, name) ? (hosts[name] ?? []) : resolveOutside(name);
  /** The person named it: it may be anywhere. */
  const reachProxy = async (host: string, port: number): Promise<Socket> => {
    const [address] = parseIpAddress(host) === undefined ? await resolve(host) : [host];
    if (address === undefined) throw new EgressEnd("unresolvable");
    return dial(address, port);
  };
  const proxy = upstream && {
    skips: (host: string, addresses: readonly string[]) => skipsProxy(upstream.noProxy, host, addresses),
    reach: async (): Promise<ProxyLine> => {
      const line = await within(reachUpstream(upstream, reachProxy), dialMs);
      return { ...line, tunnel: (host, port) => within(line.tunnel(host, port), dialMs) };
    },
  };
  return { resolve, dial, proxy };
}
