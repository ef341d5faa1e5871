// The places of a policy's connections: reads host patterns, ranges and local places, and gives them one canonical spelling.
import type { HostPattern } from "../contracts/egress-policy.ts";
import type { EgressRule } from "../contracts/egress-rule.ts";
import { classifyAddress } from "../kit/address-class.ts";
import { canonicalHost, parseHostPort, showHostPort } from "../kit/host-name.ts";
import { parseIpRange, showIpRange } from "../kit/ip-address.ts";
import { parseSize, showSize } from "./units.ts";
import { isLocalName, isMetadataName } from "./local-names.ts";
import { isObserved } from "./observed-rules.ts";
import { spellWindow } from "./window-values.ts";

/** `situation` names what is wrong, below `error.`. */
export type Parsed<Value> = { readonly kind: "valid"; readonly value: Value } | { readonly kind: "invalid"; readonly situation: string };

const invalid = (situation: string) => ({ kind: "invalid", situation }) as const;

export function showHostPattern({ match, name }: HostPattern): string {
  return { exact: "", below: "*.", within: "**." }[match] + name;
}

/** `name`; `*.name`: any depth below it; `**.name`: itself too. */
export function parseHostPattern(text: string): Parsed<HostPattern> {
  const stars = /^(?<stars>\*{1,2})(?:\.(?<rest>.*))?$/su.exec(text)?.groups;
  const written = stars === undefined ? text : (stars["rest"] ?? "");
  if (stars !== undefined && written === "") return invalid("policy.host-everything");
  const host = canonicalHost(written);
  if (host === undefined) return invalid("policy.host-shape");
  if (host.kind === "address") return invalid("policy.host-address");
  if (isLocalName(host.name)) return invalid("policy.host-local");
  const match = stars === undefined ? "exact" : stars["stars"] === "*" ? "below" : "within";
  return { kind: "valid", value: { match, name: host.name } };
}

/** A range that an `allow` may name: public, and not half the world. */
export function rangeFault(text: string, verdict: unknown): string | undefined {
  const range = parseIpRange(text);
  if (range === undefined) return "policy.cidr-shape";
  if (verdict !== "allow") return undefined;
  if (range.prefix < (range.family === 4 ? 8 : 16)) return "policy.cidr-wide";
  return classifyAddress({ family: range.family, value: range.base }) === "public" ? undefined : "policy.cidr-local";
}

/** `host:port` of a place that is not public, in canonical spelling. */
export function parseLocalPlace(text: string): Parsed<{ readonly host: string; readonly port: number }> {
  const place = parseHostPort(text);
  if (place === undefined) return invalid("policy.local-shape");
  const { host, port } = place;
  const kind = host.kind === "address" ? classifyAddress(host.address) : "private";
  if (kind === "metadata" || (host.kind === "name" && isMetadataName(host.name))) return invalid("policy.local-metadata");
  if (kind === "public" || kind === "embedded" || kind === "unspecified" || kind === "multicast") return invalid("policy.local-public");
  const shown = showHostPort(host, port);
  return { kind: "valid", value: { host: shown.slice(0, shown.lastIndexOf(":")).replaceAll(/[[\]]/gu, ""), port } };
}

export function spellLocalPlace(text: string): string {
  const place = parseHostPort(text);
  if (place === undefined) throw new TypeError("not checked");
  return showHostPort(place.host, place.port);
}

const sortedOnce = <Item extends string>(items: readonly Item[]): Item[] => [...new Set(items)].toSorted();
const sortedNumbers = (items: readonly number[]): number[] => [...new Set(items)].toSorted((one, other) => one - other);

function spellHost(text: string): string {
  const parsed = parseHostPattern(text);
  if (parsed.kind === "invalid") throw new TypeError(parsed.situation);
  return showHostPattern(parsed.value);
}

function spellRange(text: string): string {
  const range = parseIpRange(text);
  if (range === undefined) throw new TypeError("not checked");
  return showIpRange(range);
}

const spellSize = (text: string): string => showSize(parseSize(text) ?? Number.NaN);

/** The port that each protocol means when none is given; `tcp` means none. */
const usualPorts = { https: [443], http: [80], ws: [80], ssh: [22], tcp: [] } as const;

const opens = (rule: EgressRule): boolean => rule.verdict === "allow" || isObserved(rule);

/** What lets something through is filled in: https, and the usual ports of its protocols. What denies or asks and names no port or protocol is about all. */
function reach(rule: EgressRule): Pick<EgressRule, "ports" | "protocols"> {
  const { ports, protocols } = rule;
  const named = protocols ?? (opens(rule) ? (["https"] as const) : undefined);
  const numbers = ports ?? (opens(rule) ? (named ?? []).flatMap((protocol) => usualPorts[protocol]) : undefined);
  return {
    ...(numbers === undefined ? {} : { ports: sortedNumbers(numbers) }),
    ...(named === undefined ? {} : { protocols: sortedOnce(named) }),
  };
}

/** @param rule checked */
export function ruleInCanonicalSpelling(rule: EgressRule): EgressRule {
  const { id, verdict, hosts = [], cidr = [], methods, paths, maxRequest, maxResponse, sni, window, reason } = rule;
  return {
    id,
    verdict,
    ...(hosts.length === 0 ? {} : { hosts: sortedOnce(hosts.map(spellHost)) }),
    ...(cidr.length === 0 ? {} : { cidr: sortedOnce(cidr.map(spellRange)) }),
    ...reach(rule),
    ...(methods === undefined ? {} : { methods: sortedOnce(methods) }),
    ...(paths === undefined ? {} : { paths: sortedOnce(paths) }),
    ...(isObserved(rule) ? { mode: "observe" as const } : {}),
    ...(opens(rule) ? { sni: sni ?? "required" } : {}),
    ...(window === undefined ? {} : { window: spellWindow(window) }),
    ...(maxRequest === undefined ? {} : { maxRequest: spellSize(maxRequest) }),
    ...(maxResponse === undefined ? {} : { maxResponse: spellSize(maxResponse) }),
    ...(reason === undefined || reason === "" ? {} : { reason }),
  };
}
