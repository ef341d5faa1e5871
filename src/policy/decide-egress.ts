// decide() about connections: deny > ask > allow > deny. Pure: it resolves nothing; the gate asks again about each address that a name has.
import {
  type CompiledEgressRule,
  type EgressDecider,
  type EgressDecision,
  type EgressPolicy,
  egressProtocols,
  type EgressTarget,
  type HostPattern,
} from "../contracts/egress-policy.ts";
import { machineName } from "../contracts/egress-places.ts";
import { classifyAddress, isLoopbackHost } from "../kit/address-class.ts";
import { type IpAddress, ipRange, type IpRange, isInRange, parseIpAddress } from "../kit/ip-address.ts";
import { isLocalName, isMetadataName } from "./local-names.ts";

interface Rule extends CompiledEgressRule {
  readonly ranges: readonly IpRange[];
}

interface Compiled {
  readonly rules: readonly Rule[];
  readonly local: EgressPolicy["local"];
  readonly unruled: EgressDecision;
}

function matchesHost({ match, name }: HostPattern, asked: string): boolean {
  return (match !== "below" && asked === name) || (match !== "exact" && asked.endsWith(`.${name}`));
}

const namesHost = (rule: Rule, name: string): boolean => rule.hosts.some((pattern) => matchesHost(pattern, name));
const holdsAddress = (rule: Rule, address: IpAddress): boolean => rule.ranges.some((range) => isInRange(address, range));

/** `tcp` may carry any protocol: what is refused for one of them is refused for it. */
function covers({ ports, protocols, verdict }: Rule, { port, protocol }: EgressTarget): boolean {
  const coversProtocol = protocols === undefined || protocols.includes(protocol) || (protocol === "tcp" && verdict !== "allow");
  return coversProtocol && (ports === undefined || ports.includes(port));
}

const plain = { ruleId: undefined, sni: "required", maxRequestBytes: undefined, maxResponseBytes: undefined } as const;

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
  const found = byId.find(({ verdict }) => verdict === "deny") ?? byId.find(({ verdict }) => verdict === "ask") ?? byId.find(() => true);
  if (found === undefined) return undefined;
  return {
    verdict: found.verdict,
    ruleId: found.id,
    reasonCode: "rule",
    sni: rules.some(({ sni }) => sni === "required") ? "required" : "optional",
    maxRequestBytes: least(rules.map(({ maxRequestBytes }) => maxRequestBytes)),
    maxResponseBytes: least(rules.map(({ maxResponseBytes }) => maxResponseBytes)),
  };
}

const isOpened = ({ local }: Compiled, { host, port }: EgressTarget): boolean =>
  local.some((place) => place.host === host && place.port === port);

/** A place of `allowLocal` needs no rule; a rule that denies or asks still decides. No rule about names opens an address. */
function decide(policy: Compiled, target: EgressTarget): EgressDecision {
  const address = parseIpAddress(target.host);
  const isAbout = (rule: Rule): boolean => (address === undefined ? namesHost(rule, target.host) : holdsAddress(rule, address));
  const ruled = judge(policy.rules.filter((rule) => covers(rule, target) && isAbout(rule)));
  if (ruled !== undefined && ruled.verdict !== "allow") return ruled;
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
  const refused = judge(policy.rules.filter((rule) => rule.verdict !== "allow" && covers(rule, target) && holdsAddress(rule, address)));
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

export function egressDecider({ rules, local, unruled }: EgressPolicy): EgressDecider {
  const policy: Compiled = {
    rules: rules.map((rule) => ({ ...rule, ranges: rule.cidr.map(ipRange) })),
    local,
    unruled: { ...plain, verdict: unruled, reasonCode: "default" },
  };
  return {
    decide: (target) => decide(policy, target),
    decideAddress: (target, address) => decideAddress(policy, target, address),
    meantBy: (host, port) => meantBy(policy, host, port),
    mayName: (name) => mayName(policy, name),
  };
}
