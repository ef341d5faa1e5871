// The outside as this machine reaches it: names through the machine's resolvers (c-ares, never the C library) and hosts file, and plain connections.
import type { RecordWithTtl } from "node:dns";
import { Resolver } from "node:dns/promises";
import { Socket } from "node:net";
import { parseIpAddress } from "../kit/ip-address.ts";
import { DirectSocket } from "./direct-socket.ts";
import { reachUpstream, skipsProxy } from "./upstream-proxy.ts";
import type { NetworkSettings } from "./gate-messages.ts";
import { type Found, KnownNames } from "./known-names.ts";
import type { Outside, ProxyLine } from "./open-connection.ts";
import { extraBytesOfSandbox, SandboxMemory } from "./reading-memory.ts";
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

async function ask(query: Promise<RecordWithTtl[]>): Promise<readonly RecordWithTtl[]> {
  return query.catch(() => []); // no such record, or no answer: what the other family says decides
}

/** Each with a socket of its own: bytes that are no answer end every question that waits on the same one. */
async function resolveOutside(name: string): Promise<Found> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const asked = [resolver.resolve4(name, { ttl: true }), resolver.resolve6(name, { ttl: true })];
  try {
    const found = (await within(Promise.all(asked.map(ask)), resolveMs)).flat();
    if (found.length === 0) throw new EgressEnd("unresolvable");
    return { addresses: found.map(({ address }) => address), ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)) };
  } finally {
    resolver.cancel();
  }
}

/** @param socket not connected yet */
function dial(socket: Socket, host: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const timer = setTimeout(() => socket.destroy(new EgressEnd("timeout")), dialMs);
  // Whoever gets the socket listens too; an error must never be nobody's.
  socket.on("error", (error) => reject(error instanceof EgressEnd ? error : new EgressEnd("unreachable")));
  socket.once("connect", () => {
    clearTimeout(timer);
    resolve(socket);
  });
  socket.once("close", () => clearTimeout(timer));
  socket.setNoDelay(true);
  socket.connect({ host, port, autoSelectFamily: false });
  return promise;
}

/** One sandbox's way out: what it knows of names, and the memory it reads into, are its own. */
export function machineOutside({ hosts, upstream }: NetworkSettings): Outside {
  const known = new KnownNames(resolveOutside, () => performance.now());
  const memory = new SandboxMemory(extraBytesOfSandbox);
  const resolve = async (name: string): Promise<readonly string[]> =>
    Object.hasOwn(hosts, name) ? (hosts[name] ?? []) : known.resolve(name);
  /** The person named it: it may be anywhere. */
  const reachProxy = async (host: string, port: number): Promise<Socket> => {
    const [address] = parseIpAddress(host) === undefined ? await resolve(host) : [host];
    if (address === undefined) throw new EgressEnd("unresolvable");
    return dial(new Socket({ allowHalfOpen: true }), address, port);
  };
  const proxy = upstream && {
    skips: (host: string, addresses: readonly string[]) => skipsProxy(upstream.noProxy, host, addresses),
    reach: async (): Promise<ProxyLine> => {
      const line = await within(reachUpstream(upstream, reachProxy), dialMs);
      return { ...line, tunnel: (host, port) => within(line.tunnel(host, port), dialMs) };
    },
  };
  return { resolve, dial: (address, port) => dial(new DirectSocket(memory), address, port), proxy };
}
