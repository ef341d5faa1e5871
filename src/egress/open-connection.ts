// The one way out: decide, record, resolve once, judge every answer, dial exactly a judged address. INVARIANT I-06
import type { Socket } from "node:net";
import type { EgressEvent } from "../contracts/egress-record.ts";
import type { EgressDecision, EgressProtocol, PlainRequest } from "../contracts/egress-policy.ts";
import { parseIpAddress } from "../kit/ip-address.ts";
import { LiveConnection, type LiveConnections } from "./live-connections.ts";
import { permitConnection, type Permission, type PermitParts } from "./permit-connection.ts";
import { EgressEnd, type EndReason, type RefusalReason } from "./reason.ts";
import type { OpenEntry, TrafficLog } from "./traffic-log.ts";

/** Where somebody wants to go; which protocols it may turn out to be. */
export interface Asked {
  /** Canonical name or address. */
  readonly host: string;
  readonly port: number;
  readonly via: "captured" | "connect" | "http" | "socks";
  readonly protocols: readonly EgressProtocol[];
  /** Of the client: by it the host finds the process. */
  readonly clientPort?: number | undefined;
}

export type Allowed = ReadonlyMap<EgressProtocol, EgressDecision>;

/** Closes and gives back; says how it ended. Idempotent. */
export type EndConnection = (reason: RefusalReason | EndReason) => void;

export interface Opened {
  readonly socket: Socket;
  /** The socket leads to a company's proxy, which has been asked for nothing yet; undefined: to the place itself. */
  readonly proxy: WaitingProxy | undefined;
  /** The protocols that may be spoken there, each with its decision, by the rules of the moment. */
  readonly allowed: Allowed;
  readonly entry: OpenEntry;
  /** Whether this request may be made there; undefined: only others. */
  readonly permits: (request: PlainRequest) => EgressDecision | undefined;
  readonly end: EndConnection;
}

/** A connection to a company's proxy. */
export interface ProxyLine {
  readonly socket: Socket;
  /** Afterwards the socket leads to this place. The proxy looks the name up itself: nobody else may be able to. Otherwise an EgressEnd. */
  tunnel(host: string, port: number): Promise<void>;
  /** Names and values in turn: what a plain request in absolute form says to the proxy. Undefined where it takes none. */
  readonly forward: readonly string[] | undefined;
}

export interface WaitingProxy {
  readonly headers: readonly string[];
  tunnel(): Promise<void>;
}

export interface OutsideProxy {
  skips(host: string, addresses: readonly string[]): boolean;
  reach(): Promise<ProxyLine>;
}

/** How the outside is reached. */
export interface Outside {
  /** Every address of a name, or an EgressEnd. */
  resolve(name: string): Promise<readonly string[]>;
  /** A connection to exactly this address, or an EgressEnd. */
  dial(address: string, port: number): Promise<Socket>;
  /** A company's proxy, by which everything goes that it is not left out of. */
  readonly proxy: OutsideProxy | undefined;
}

export interface OpenParts extends PermitParts {
  readonly log: TrafficLog;
  readonly live: LiveConnections;
  readonly outside: Outside;
  /** Resolves with false when it could not be recorded; never rejects. */
  readonly record: (event: EgressEvent, clientPort?: number) => Promise<boolean>;
}

/**
 * Counts it at once; resolves when it is recorded, if it is new. Who waits keeps the client's socket until the host has seen whose it is.
 * Never rejects: a refusal that cannot be recorded is a refusal.
 */
export async function refuse(
  asked: Omit<Asked, "protocols">,
  parts: Pick<OpenParts, "log" | "record">,
  about: { readonly reason: RefusalReason; readonly rule?: string | undefined; readonly opensAtMs?: number | undefined },
): Promise<EgressEnd> {
  const { host, port, via } = asked;
  const known = {
    ...(about.rule === undefined ? {} : { rule: about.rule }),
    ...(about.opensAtMs === undefined ? {} : { opensAt: new Date(about.opensAtMs).toISOString() }),
  };
  parts.log.refused({ reason: about.reason, ...known, host, port, via });
  const event: EgressEvent = { verdict: "deny", reason: about.reason, ...known, host: host.slice(0, 300), port, via, protocols: [] };
  await parts.log.recordOnce(event, (each) => parts.record(each, asked.clientPort));
  return new EgressEnd(about.reason, about.rule);
}

type Permitted = Extract<Permission, { readonly kind: "permitted" }>;

async function recordAllowed(asked: Asked, { grounds }: Permitted, parts: OpenParts): Promise<void> {
  const { host, port, via } = asked;
  for (const { reason, rule, protocols } of grounds) {
    const known = rule === undefined ? {} : { rule };
    const event: EgressEvent = { verdict: "allow", reason, ...known, host, port, via, protocols: [...protocols] };
    if (!(await parts.log.recordOnce(event, (each) => parts.record(each, asked.clientPort))))
      throw await refuse(asked, parts, { reason: "unrecorded" });
  }
}

/** A person's grant is for the name: what another rule says of the address still holds. */
function passesAddress(before: EgressDecision, now: EgressDecision): boolean {
  return now.verdict === "allow" || (now.verdict === "ask" && before.verdict === "ask" && now.ruleId === before.ruleId);
}

/** The protocols for which every address passes. One bad answer denies the whole name: nobody else chooses among them. */
async function judgeAddresses(asked: Asked, allowed: Allowed, addresses: readonly string[], parts: OpenParts): Promise<Allowed> {
  const { host, port } = asked;
  let rule: string | undefined;
  const passes = (protocol: EgressProtocol, before: EgressDecision): boolean =>
    addresses.every((address) => {
      const now = parts.rules.decideAddress({ host, port, protocol }, address);
      const isPassing = passesAddress(before, now);
      rule ??= isPassing ? undefined : now.ruleId;
      return isPassing;
    });
  const passing = [...allowed].filter(([protocol, before]) => passes(protocol, before));
  if (passing.length === allowed.size) return allowed;
  if (passing.length === 0) throw await refuse(asked, parts, { reason: "resolved-address", rule });
  return new Map(passing);
}

async function dialOne(addresses: readonly string[], port: number, outside: Outside): Promise<{ socket: Socket; address: string }> {
  const failures: unknown[] = [];
  for (const address of addresses) {
    try {
      return { socket: await outside.dial(address, port), address };
    } catch (error) {
      failures.push(error); // the next address may answer
    }
  }
  throw failures.length === 0 ? new EgressEnd("unreachable") : failures.at(-1);
}

interface Reached extends Pick<Opened, "socket" | "proxy" | "allowed"> {
  /** Dialled. */
  readonly address: string;
  /** Addresses of the name that were judged; 0: it is an address itself, or only the proxy knows. */
  readonly judged: number;
}

/** A plain request needs no tunnel, and may get none; whether one comes, only its first bytes say. */
async function reachByProxy({ host, port }: Asked, allowed: Allowed, proxy: OutsideProxy): Promise<Pick<Reached, "socket" | "proxy">> {
  const line = await proxy.reach();
  const { socket, forward } = line;
  if (forward !== undefined && allowed.has("http") && !allowed.has("tcp"))
    return { socket, proxy: { headers: forward, tunnel: () => line.tunnel(host, port) } };
  try {
    await line.tunnel(host, port);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return { socket, proxy: undefined };
}

async function reach(asked: Asked, allowed: Allowed, parts: OpenParts): Promise<Reached> {
  const { host, port } = asked;
  const { outside } = parts;
  const { proxy } = outside;
  const isAddress = parseIpAddress(host) !== undefined;
  // Behind a proxy this machine may know no names; where it knows one, that is judged all the same.
  // What allowLocal opens is near: no company's proxy leads there.
  const isLocal = [...allowed.values()].some(({ reasonCode }) => reasonCode === "local");
  const isForProxy = proxy !== undefined && !isLocal && !proxy.skips(host, []);
  const found = isAddress ? [] : await outside.resolve(host).catch((error: unknown) => (isForProxy ? [] : Promise.reject(error)));
  const passing = found.length === 0 ? allowed : await judgeAddresses(asked, allowed, found, parts);
  const judged = { allowed: passing, judged: found.length };
  if (isForProxy && !proxy.skips(host, found)) return { ...(await reachByProxy(asked, passing, proxy)), ...judged, address: "proxy" };
  return { ...(await dialOne(isAddress ? [host] : found, port, outside)), ...judged, proxy: undefined };
}

/** What has been permitted, on its way: counted, and ended once. */
function beginConnection(asked: Asked, { allowed, grounds }: Permitted, parts: OpenParts): LiveConnection {
  const [first] = grounds;
  const rule = first?.rule;
  const live: LiveConnection = new LiveConnection({
    asked,
    allowed,
    entry: parts.log.opened({ ...asked, rule, isObserved: first?.reason === "observed" }),
    ended: (reason) => {
      parts.live.delete(live);
      parts.budget.giveConnectionBack();
      if (reason === "revoked" || reason === "window") void refuse(asked, parts, { reason, rule });
    },
  });
  parts.live.add(live);
  return live;
}

/** @throws EgressEnd when somebody ended it meanwhile */
async function connectTo(live: LiveConnection, parts: OpenParts): Promise<Opened> {
  const { asked, entry } = live;
  const { generation } = parts.rules;
  const reached = await reach(asked, live.allowed, parts);
  const { socket, proxy, address } = reached;
  live.holds(socket);
  live.goOn();
  live.address = address === "proxy" ? undefined : address;
  if (live.allowed !== reached.allowed) live.allowed = new Map([...live.allowed].filter(([protocol]) => reached.allowed.has(protocol)));
  // Its address was judged by other rules.
  if (parts.rules.generation !== generation) parts.live.judgeAgain(parts.rules, "grants end");
  live.goOn();
  entry.address = address;
  entry.isUnresolved = reached.judged === 0 && parseIpAddress(asked.host) === undefined;
  return {
    socket,
    proxy,
    entry,
    permits: (request) => live.permits(request, parts.rules.keepTime()),
    end: (reason) => live.end(reason),
    get allowed() {
      return live.allowed;
    },
  };
}

/** @throws EgressEnd when it is refused or does not come to be; that has been counted and recorded then */
export async function openConnection(given: Asked, parts: OpenParts): Promise<Opened> {
  const asked = { ...given, host: parts.rules.meantBy(given.host, given.port) };
  const permission = await permitConnection(asked, parts);
  if (permission.kind === "refused") throw await refuse(asked, parts, permission);
  if (!parts.budget.takeConnection()) throw await refuse(asked, parts, { reason: "limit-connections" });
  const live = beginConnection(asked, permission, parts);
  try {
    await recordAllowed(asked, permission, parts);
    live.goOn();
    return await connectTo(live, parts);
  } catch (error) {
    live.end(error instanceof EgressEnd ? error.reason : "broken");
    throw error;
  }
}
