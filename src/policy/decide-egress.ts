// decide() about connections: deny > ask > observe > allow > deny. Pure: it resolves nothing; the gate asks again about each address that a name has, and
// for other rules when those of the moment are over.
import {
  type CompiledEgressRule,
  type EgressDecision,
  type EgressPolicy,
  egressProtocols,
  type EgressTarget,
  type HostPattern,
  type RulesAt,
} from "../contracts/egress-policy.ts";
import { machineName } from "../contracts/egress-places.ts";
import { classifyAddress, isLoopbackHost } from "../kit/address-class.ts";
import { type IpAddress, ipRange, type IpRange, isInRange, parseIpAddress } from "../kit/ip-address.ts";
import { isLocalName, isMetadataName } from "./local-names.ts";
import { admitsRequest } from "./request-rules.ts";
import { openWindow } from "./rule-window.ts";

interface Rule extends CompiledEgressRule {
  readonly ranges: readonly IpRange[];
  /** Of a rule that does not hold now; undefined: it does, or never will again. */
  readonly opensAtMs: number | undefined;
}

interface Compiled {
  /** Those that hold now. */
  readonly rules: readonly Rule[];
  /** Those that would let something through at another time. */
  readonly closed: readonly Rule[];
  readonly local: EgressPolicy["local"];
  readonly unruled: EgressDecision;
}

function matchesHost({ match, name }: HostPattern, asked: string): boolean {
  return (match !== "below" && asked === name) || (match !== "exact" && asked.endsWith(`.${name}`));
}

const namesHost = (rule: Rule, name: string): boolean => rule.hosts.some((pattern) => matchesHost(pattern, name));
const holdsAddress = (rule: Rule, address: IpAddress): boolean => rule.ranges.some((range) => isInRange(address, range));

const opens = ({ verdict }: Rule): boolean => verdict === "allow" || verdict === "observe";

/** `tcp` may carry any protocol: what is refused for one of them is refused for it. */
function covers(rule: Rule, { port, protocol, request }: EgressTarget): boolean {
  const { ports, protocols, requests } = rule;
  if (request !== undefined && !admitsRequest(requests, request)) return false;
  const coversProtocol = protocols === undefined || protocols.includes(protocol) || (protocol === "tcp" && !opens(rule));
  return coversProtocol && (ports === undefined || ports.includes(port));
}

const plain = {
  ruleId: undefined,
  sni: "required",
  maxRequestBytes: undefined,
  maxResponseBytes: undefined,
  opensAtMs: undefined,
} as const;

function deny(reasonCode: EgressDecision["reasonCode"]): EgressDecision {
  return { ...plain, verdict: "deny", reasonCode };
}

function least(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

/** The strictest of the rules that match; of several that allow, each may still narrow. Undefined when there is none. */
function judge(rules: readonly Rule[]): EgressDecision | undefined {
  const byId = rules.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const strictest = (["deny", "ask", "observe", "allow"] as const).find((verdict) => byId.some((rule) => rule.verdict === verdict));
  const decisive = byId.filter(({ verdict }) => verdict === strictest);
  // Of those that allow, one about every request before one about some.
  const found = decisive.find(({ requests }) => requests === undefined) ?? decisive[0];
  if (found === undefined) return undefined;
  return {
    ...plain,
    verdict: found.verdict === "observe" ? "allow" : found.verdict,
    ruleId: found.id,
    reasonCode: found.verdict === "observe" ? "observed" : "rule",
    sni: rules.some(({ sni }) => sni === "required") ? "required" : "optional",
    maxRequestBytes: least(rules.map(({ maxRequestBytes }) => maxRequestBytes)),
    maxResponseBytes: least(rules.map(({ maxResponseBytes }) => maxResponseBytes)),
  };
}

const isOpened = ({ local }: Compiled, { host, port }: EgressTarget): boolean =>
  local.some((place) => place.host === host && place.port === port);

/** Of the rules that would let it through at another time, the one that does first. */
function judgeClosed(rules: readonly Rule[]): EgressDecision | undefined {
  const byOpening = rules.toSorted((one, other) => (one.opensAtMs ?? Infinity) - (other.opensAtMs ?? Infinity));
  const [first] = byOpening;
  return first && { ...deny("window"), ruleId: first.id, opensAtMs: first.opensAtMs };
}

/** A place of `allowLocal` needs no rule; a rule that denies or asks still decides. No rule about names opens an address. */
function decide(policy: Compiled, target: EgressTarget): EgressDecision {
  const address = parseIpAddress(target.host);
  const isAbout = (rule: Rule): boolean => (address === undefined ? namesHost(rule, target.host) : holdsAddress(rule, address));
  const matching = (rules: readonly Rule[]): readonly Rule[] => rules.filter((rule) => covers(rule, target) && isAbout(rule));
  const ruled = judge(matching(policy.rules)) ?? judgeClosed(matching(policy.closed));
  if (ruled !== undefined && ruled.verdict !== "allow" && ruled.reasonCode !== "window") return ruled;
  if (isMetadataName(target.host)) return deny("local-name");
  if (isOpened(policy, target)) return { ...plain, verdict: "allow", reasonCode: "local", sni: "optional" };
  if (address === undefined) return isLocalName(target.host) ? deny("local-name") : (ruled ?? policy.unruled);
  if (classifyAddress(address) !== "public") return deny("address");
  return ruled ?? (policy.unruled.verdict === "ask" ? policy.unruled : deny("address"));
}

/** What a name leads to: never a place that is not public unless `allowLocal` opens it by this name, nor one that a rule refuses by address. */
function decideAddress(policy: Compiled, target: EgressTarget, text: string): EgressDecision {
  const address = parseIpAddress(text);
  if (address === undefined) return deny("address");
  const refused = judge(policy.rules.filter((rule) => !opens(rule) && covers(rule, target) && holdsAddress(rule, address)));
  if (refused !== undefined) return refused;
  const kind = classifyAddress(address);
  const isReachable = kind === "public" || (isOpened(policy, target) && kind !== "metadata" && kind !== "embedded");
  return isReachable ? decide(policy, target) : deny("address");
}

function meantBy({ local }: Compiled, host: string, port: number): string {
  if (host !== machineName) return host;
  return local.find((place) => place.port === port && isLoopbackHost(place.host))?.host ?? host;
}

const usualPorts = [443, 80, 22];

/** A name that no rule is about; that a rule refuses some ports of it leaves the others. */
function mayBeAsked({ rules, unruled }: Compiled, name: string): boolean {
  const isClosed = rules.some(({ verdict, ports, protocols }) => verdict === "deny" && ports === undefined && protocols === undefined);
  return unruled.verdict === "ask" && !isClosed && !isLocalName(name);
}

function mayName(policy: Compiled, name: string): boolean {
  if (isMetadataName(name)) return false;
  if (name === machineName) return policy.local.some(({ host }) => isLoopbackHost(host));
  if (policy.closed.some((rule) => namesHost(rule, name))) return true;
  const rules = policy.rules.filter((rule) => namesHost(rule, name));
  const narrowed: Compiled = { ...policy, rules };
  const isOpen = (target: EgressTarget): boolean => decide(narrowed, target).verdict !== "deny";
  return (
    mayBeAsked(narrowed, name) ||
    policy.local.some(({ host, port }) => host === name && isOpen({ host, port, protocol: "tcp" })) ||
    rules.some(
      ({ verdict, ports = usualPorts, protocols = egressProtocols }) =>
        verdict !== "deny" && ports.some((port) => protocols.some((protocol) => isOpen({ host: name, port, protocol }))),
    )
  );
}

/** A rule as it is at the moment, and when it may be otherwise. */
function ruleAt(
  rule: CompiledEgressRule,
  moment: number | "whenever",
): { readonly rule: Rule; readonly isClosed: boolean; readonly changesAtMs: number } {
  const compiled = { ...rule, ranges: rule.cidr.map(ipRange), opensAtMs: undefined };
  if (moment === "whenever") return { rule: compiled, isClosed: false, changesAtMs: Infinity };
  const { observedUntilMs = Infinity, verdict } = rule;
  const isOver = verdict === "observe" && moment >= observedUntilMs;
  const window = rule.window && openWindow(rule.window);
  return {
    rule: { ...compiled, verdict: isOver ? "deny" : verdict, opensAtMs: window?.opensFrom(moment) },
    isClosed: window !== undefined && !window.isOpen(moment),
    changesAtMs: Math.min(window?.changesAfter(moment) ?? Infinity, isOver ? Infinity : observedUntilMs),
  };
}

export const egressDecider: RulesAt = ({ rules: given, local, unruled }, moment) => {
  const now = given.map((rule) => ruleAt(rule, moment));
  const changesAtMs = Math.min(...now.map((each) => each.changesAtMs));
  const policy: Compiled = {
    rules: now.filter(({ isClosed }) => !isClosed).map(({ rule }) => rule),
    closed: now.filter(({ isClosed, rule }) => isClosed && rule.verdict !== "deny").map(({ rule }) => rule),
    local,
    unruled: { ...plain, verdict: unruled, reasonCode: "default" },
  };
  return {
    changesAtMs: Number.isFinite(changesAtMs) ? changesAtMs : undefined,
    decide: (target) => decide(policy, target),
    decideAddress: (target, address) => decideAddress(policy, target, address),
    meantBy: (host, port) => meantBy(policy, host, port),
    mayName: (name) => mayName(policy, name),
  };
};
