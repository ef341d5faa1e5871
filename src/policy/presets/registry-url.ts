// The address of a registry as some configuration spells it: host, port and protocol, and the same address without credentials.
// It resolves nothing; which addresses may be dialled is judged where they are dialled.
import { PresetFault } from "../../contracts/preset.ts";

export interface RegistryUrl {
  /** Lower case, punycode; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly protocol: "http" | "https" | "ssh";
  /** As configured, without user, password, query and fragment. */
  readonly clean: string;
  readonly hadCredentials: boolean;
}

const defaultPorts: ReadonlyMap<string, readonly [RegistryUrl["protocol"], number]> = new Map([
  ["http:", ["http", 80]],
  ["https:", ["https", 443]],
  ["ssh:", ["ssh", 22]],
  ["git+ssh:", ["ssh", 22]],
]);

/** Names of letters, digits, hyphens, underscores and dots; addresses in brackets. Anything else was never a host. */
const hostShape = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_-]{1,63})*|\[[0-9a-f:.]+\])$/u;

/** `sparse+https://...` and `registry+https://...` as cargo writes them. */
const schemePrefix = /^(?:sparse|registry)\+/u;

/** undefined: no address of a registry in any of the known protocols. */
export function readRegistryUrl(text: string): RegistryUrl | undefined {
  const prefix = schemePrefix.exec(text)?.[0] ?? "";
  const url = URL.parse(text.slice(prefix.length));
  const known = url === null ? undefined : defaultPorts.get(url.protocol);
  if (url === null || known === undefined) return undefined;
  const host = url.hostname.toLowerCase().replace(/\.$/u, "");
  if (host.length > 253 || !hostShape.test(host)) return undefined;
  const hadCredentials = url.username !== "" || url.password !== "" || url.search !== "";
  const isPlain = !hadCredentials && url.hash === "";
  url.username = url.protocol.endsWith("ssh:") && url.password === "" ? url.username : "";
  url.password = "";
  url.search = "";
  url.hash = "";
  const [protocol, port] = known;
  return {
    host: host.replace(/^\[|\]$/gu, ""),
    port: url.port === "" ? port : Number(url.port),
    protocol,
    clean: isPlain ? text : `${prefix}${url.href}`,
    hadCredentials: hadCredentials && protocol !== "ssh",
  };
}

/** @throws PresetFault naming where the value stands; the value itself may hold a secret and is not shown */
export function requireRegistryUrl(text: string, what: string, source: string): RegistryUrl {
  const url = readRegistryUrl(text);
  if (url === undefined) throw new PresetFault("POLICY_VALUE_INVALID", "preset.url-invalid", { what, source });
  return url;
}
