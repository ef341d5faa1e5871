// Lists of hosts of another tool -> rules about connections, and places that are not public. What allows and cannot be opened is left out
// and noted; what forbids and cannot be understood refuses the import.
import type { PolicyDocument } from "../../contracts/policy-document.ts";
import type { EgressRule } from "../../contracts/egress-rule.ts";
import { classifyAddress } from "../../kit/address-class.ts";
import { canonicalHost, showHost, showHostPort } from "../../kit/host-name.ts";
import { parseHostPattern, parseLocalPlace, rangeFault, showHostPattern } from "../egress-values.ts";
import { isLocalName } from "../local-names.ts";
import type { Entry, ImportDraft } from "./import-draft.ts";

export interface HostEntries {
  readonly allowed: readonly Entry[];
  readonly denied: readonly Entry[];
  /** Addresses and ranges that no allowed name may lead to. */
  readonly deniedAddresses?: readonly Entry[];
  /** A denied entry, as written -> why. */
  readonly reasons?: Readonly<Record<string, string>>;
}

type Opened = Pick<PolicyDocument, "egress" | "allowLocal">;
type Protocols = NonNullable<EgressRule["protocols"]>;

interface HostPort {
  readonly host: string;
  readonly port: number | undefined;
}

const everywhere: readonly string[] = ["0.0.0.0/0", "::/0"];

/** `name`, `name:443`, `[::1]:443`; an address with several colons stands in brackets or has no port. */
function splitPort(text: string): HostPort {
  const { host, port } = /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>[1-9]\d{0,4}))?$/u.exec(text)?.groups ?? {};
  if (host === undefined || Number(port ?? 1) > 65_535) return { host: text, port: undefined };
  return { host, port: port === undefined ? undefined : Number(port) };
}

/** What a port is usually for is looked into; any other may carry anything. */
function protocolsOf(port: number | undefined): Protocols {
  const usual: ReadonlyMap<number | undefined, Protocols> = new Map<number | undefined, Protocols>([
    [undefined, ["https", "http", "ssh"]],
    [443, ["https"]],
    [80, ["http"]],
    [22, ["ssh"]],
  ]);
  return usual.get(port) ?? ["https", "http", "ssh", "tcp"];
}

const portsOf = (port: number | undefined): Pick<EgressRule, "ports"> => (port === undefined ? {} : { ports: [port] });

type Target = { readonly kind: "host" | "range" | "local"; readonly text: string; readonly port: number | undefined };

function refusal(draft: ImportDraft, { path, text }: Entry, reason: string): undefined {
  draft.note("refused", path, reason, { value: text });
}

/** An address, or a name for this machine or its surroundings: opened only as one place. */
function localTarget(draft: ImportDraft, entry: Entry, { host, port }: HostPort): Target | undefined {
  const canonical = canonicalHost(host);
  if (canonical === undefined) return refusal(draft, entry, "import.reason.host-shape");
  if (port === undefined) return refusal(draft, entry, "import.reason.local-port");
  const place = showHostPort(canonical, port);
  const parsed = parseLocalPlace(place);
  return parsed.kind === "valid" ? { kind: "local", text: place, port } : refusal(draft, entry, "import.reason.local-never");
}

function allowedTarget(draft: ImportDraft, entry: Entry): Target | undefined {
  const { host, port } = splitPort(entry.text);
  if (host === "*" || host === "**") return refusal(draft, entry, "import.reason.host-everything");
  const canonical = canonicalHost(host);
  if (canonical?.kind === "address") {
    const isPublic = classifyAddress(canonical.address) === "public";
    const prefix = canonical.address.family === 4 ? 32 : 128;
    return isPublic ? { kind: "range", text: `${showHost(canonical)}/${prefix}`, port } : localTarget(draft, entry, { host, port });
  }
  if (canonical?.kind === "name" && isLocalName(canonical.name)) return localTarget(draft, entry, { host, port });
  const pattern = parseHostPattern(host);
  if (pattern.kind === "invalid") return refusal(draft, entry, "import.reason.host-shape");
  const { match, name } = pattern.value;
  const isSuffix = match !== "exact" && (draft.facts.isPublicSuffix ?? (() => true))(name);
  if (isSuffix) return refusal(draft, entry, "import.reason.host-suffix");
  return { kind: "host", text: showHostPattern(pattern.value), port };
}

/** One rule for each port that was named, and one for all entries without. */
function allowRules(draft: ImportDraft, targets: readonly Target[]): readonly EgressRule[] {
  const opened = targets.filter(({ kind }) => kind !== "local");
  return [...new Set(opened.map(({ port }) => port))].map((port): EgressRule => {
    const texts = (wanted: Target["kind"]): string[] => [
      ...new Set(opened.filter((target) => target.port === port && target.kind === wanted).map(({ text }) => text)),
    ];
    const hosts = texts("host");
    const cidr = texts("range");
    return {
      id: port === undefined ? `${draft.from}-allow` : `${draft.from}-allow-${port}`,
      ...(hosts.length === 0 ? {} : { hosts }),
      ...(cidr.length === 0 ? {} : { cidr }),
      ...portsOf(port),
      protocols: protocolsOf(port),
      verdict: "allow",
    };
  });
}

/** A name for this machine or its surroundings is refused anyway: there is nothing to write. */
function deniedPlaces(draft: ImportDraft, entry: Entry, host: string): Pick<EgressRule, "hosts" | "cidr"> | undefined {
  if (host === "*" || host === "**") return { cidr: [...everywhere] };
  const canonical = canonicalHost(host);
  if (canonical?.kind === "address") return { cidr: [`${showHost(canonical)}/${canonical.address.family === 4 ? 32 : 128}`] };
  const pattern = parseHostPattern(host);
  if (pattern.kind === "valid") return { hosts: [showHostPattern(pattern.value)] };
  if (pattern.situation === "policy.host-local") draft.note("inert", entry.path, "import.reason.local-denied", { value: entry.text });
  else draft.refuse(entry.path, pattern.situation, entry.text);
  return undefined;
}

function denyRules(draft: ImportDraft, { denied, deniedAddresses = [], reasons = {} }: HostEntries): readonly EgressRule[] {
  const named = denied.flatMap((entry, index): readonly EgressRule[] => {
    const { host, port } = splitPort(entry.text);
    const places = deniedPlaces(draft, entry, host);
    const reason = Object.hasOwn(reasons, entry.text) ? reasons[entry.text]?.slice(0, 500) : undefined;
    if (places === undefined) return [];
    const said = reason === undefined ? {} : { reason };
    return [{ id: `${draft.from}-deny-${index + 1}`, ...places, ...portsOf(port), verdict: "deny", ...said }];
  });
  const cidr = deniedAddresses.flatMap((entry) => deniedRange(draft, entry) ?? []);
  return cidr.length === 0 ? named : [...named, { id: `${draft.from}-deny-addresses`, cidr, verdict: "deny" }];
}

/** A bare address is a range of one. */
function deniedRange(draft: ImportDraft, { path, text }: Entry): string | undefined {
  const range = text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`;
  const situation = rangeFault(range, "deny");
  if (situation === undefined) return range;
  draft.refuse(path, situation, text);
  return undefined;
}

/** A denied name closes the local places that it names; a denied address does so as a rule. */
function isDeniedName(place: string, denied: readonly Entry[]): boolean {
  const asked = splitPort(place);
  return denied.some(({ text }) => {
    const { host, port } = splitPort(text.toLowerCase());
    const names = host.startsWith("*.") ? asked.host.endsWith(host.slice(1)) : asked.host === host;
    return names && (port === undefined || port === asked.port);
  });
}

/** @returns complete lists of rules and local places */
export function importHosts(draft: ImportDraft, entries: HostEntries): Opened {
  const targets = entries.allowed.flatMap((entry) => allowedTarget(draft, entry) ?? []);
  const isClosed = entries.denied.some(({ text }) => text === "*");
  const open = isClosed ? [] : targets;
  const anyPort = open.some(({ kind, port }) => kind !== "local" && port === undefined);
  const list = entries.allowed[0]?.path.slice(0, -1);
  if (anyPort && list !== undefined) draft.note("stricter", list, "import.reason.usual-ports");
  const allowLocal = open.flatMap(({ kind, text }) => (kind === "local" && !isDeniedName(text, entries.denied) ? [text] : []));
  return { egress: [...allowRules(draft, open), ...denyRules(draft, entries)], allowLocal: [...new Set(allowLocal)] };
}
