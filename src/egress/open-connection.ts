// The one way out: decide, record, resolve once, judge every answer, dial exactly a judged address. INVARIANT I-06
import type { Socket } from "node:net";
import type { EgressEvent } from "../contracts/egress-record.ts";
import type { EgressDecider, EgressDecision, EgressProtocol } from "../contracts/egress-policy.ts";
import { parseIpAddress } from "../kit/ip-address.ts";
import type { EgressBudget } from "./egress-budget.ts";
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
  /** The protocols that may be spoken there, each with its decision. */
  readonly allowed: Allowed;
  readonly entry: OpenEntry;
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

export interface OpenParts {
  readonly decider: EgressDecider;
  readonly budget: EgressBudget;
  readonly log: TrafficLog;
  readonly outside: Outside;
  /** Ends each connection that is open, or is being opened. */
  readonly living: Set<EndConnection>;
  /** Resolves with false when it could not be recorded; never rejects. */
  readonly record: (event: EgressEvent, clientPort?: number) => Promise<boolean>;
}

function reasonOf({ verdict, reasonCode }: EgressDecision): RefusalReason {
  if (verdict === "ask") return "ask";
  return reasonCode === "local" ? "default" : reasonCode;
}

/**
 * Counts it at once; resolves when it is recorded, if it is new. Who waits keeps the client's socket until the host has seen whose it is.
 * Never rejects: a refusal that cannot be recorded is a refusal.
 */
export async function refuse(
  asked: Omit<Asked, "protocols">,
  parts: Pick<OpenParts, "log" | "record">,
  about: { readonly reason: RefusalReason; readonly rule?: string | undefined },
): Promise<EgressEnd> {
  const { host, port, via } = asked;
  const rule = about.rule === undefined ? {} : { rule: about.rule };
  parts.log.refused({ reason: about.reason, ...rule, host, port, via });
  const event: EgressEvent = { verdict: "deny", reason: about.reason, ...rule, host: host.slice(0, 300), port, via, protocols: [] };
  await parts.log.recordOnce(event, (each) => parts.record(each, asked.clientPort));
  return new EgressEnd(about.reason);
}

async function allowedProtocols(asked: Asked, parts: OpenParts): Promise<Allowed> {
  const { host, port, protocols } = asked;
  const decisions = protocols.map((protocol) => [protocol, parts.decider.decide({ host, port, protocol })] as const);
  const allowed = decisions.filter(([, { verdict }]) => verdict === "allow");
  if (allowed.length > 0) return new Map(allowed);
  const [, first] = decisions.find(([, { ruleId }]) => ruleId !== undefined) ?? decisions[0] ?? [];
  throw await refuse(asked, parts, { reason: first === undefined ? "default" : reasonOf(first), rule: first?.ruleId });
}

const firstRule = (allowed: Allowed): string | undefined => [...allowed.values()].find(({ ruleId }) => ruleId !== undefined)?.ruleId;

async function recordAllowed(asked: Asked, allowed: Allowed, parts: OpenParts): Promise<void> {
  const rule = firstRule(allowed);
  const { host, port, via } = asked;
  const known = { verdict: "allow" as const, reason: rule === undefined ? "local" : "rule", ...(rule === undefined ? {} : { rule }) };
  const event: EgressEvent = { ...known, host, port, via, protocols: [...allowed.keys()] };
  if (!(await parts.log.recordOnce(event, (each) => parts.record(each, asked.clientPort))))
    throw await refuse(asked, parts, { reason: "unrecorded" });
}

/** The protocols for which every address passes. One bad answer denies the whole name: nobody else chooses among them. */
async function judgeAddresses(asked: Asked, allowed: Allowed, addresses: readonly string[], parts: OpenParts): Promise<Allowed> {
  const { host, port } = asked;
  let rule: string | undefined;
  const passes = (protocol: EgressProtocol): boolean =>
    addresses.every((address) => {
      const decision = parts.decider.decideAddress({ host, port, protocol }, address);
      rule ??= decision.verdict === "allow" ? undefined : decision.ruleId;
      return decision.verdict === "allow";
    });
  const passing = [...allowed].filter(([protocol]) => passes(protocol));
  if (passing.length === 0) throw await refuse(asked, parts, { reason: "resolved-address", rule });
  return new Map(passing);
}

async function dialOne(addresses: readonly string[], port: number, outside: Outside): Promise<{ socket: Socket; address: string }> {
  let failure: unknown = new EgressEnd("unreachable");
  for (const address of addresses) {
    try {
      return { socket: await outside.dial(address, port), address };
    } catch (error) {
      failure = error; // the next address may answer
    }
  }
  throw failure;
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

/** @throws EgressEnd when it is refused or does not come to be; that has been counted and recorded then */
export async function openConnection(given: Asked, parts: OpenParts): Promise<Opened> {
  const asked = { ...given, host: parts.decider.meantBy(given.host, given.port) };
  const allowed = await allowedProtocols(asked, parts);
  if (parseIpAddress(asked.host) === undefined && !parts.budget.takeName(asked.host))
    throw await refuse(asked, parts, { reason: "limit-names" });
  if (!parts.budget.takeConnection()) throw await refuse(asked, parts, { reason: "limit-connections" });
  const entry = parts.log.opened({ ...asked, rule: firstRule(allowed) });
  let socket: Socket | undefined;
  let isEnded = false;
  const end: EndConnection = (reason) => {
    socket?.destroy();
    if (isEnded) return;
    isEnded = true;
    parts.living.delete(end);
    parts.budget.giveConnectionBack();
    entry.end(reason);
  };
  parts.living.add(end);
  const failIfEnded = (): void => {
    if (isEnded) throw new EgressEnd("unrecorded");
  };
  try {
    await recordAllowed(asked, allowed, parts);
    failIfEnded();
    const reached = await reach(asked, allowed, parts);
    socket = reached.socket;
    failIfEnded();
    entry.address = reached.address;
    entry.isUnresolved = reached.judged === 0 && parseIpAddress(asked.host) === undefined;
    return { socket, proxy: reached.proxy, allowed: reached.allowed, entry, end };
  } catch (error) {
    end(error instanceof EgressEnd ? error.reason : "broken");
    throw error;
  }
}
