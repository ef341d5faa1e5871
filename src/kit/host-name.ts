// What somebody calls a host -> its one canonical spelling: a lower-case ASCII name, or an address. Every other spelling that a resolver would
// understand (127.1, 0x7f000001, 0177.0.0.1, full-width digits, ...) becomes the address that it means.
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { type IpAddress, parseIpAddress, showIpAddress } from "./ip-address.ts";

export type CanonicalHost = { readonly kind: "name"; readonly name: string } | { readonly kind: "address"; readonly address: IpAddress };

const longestName = 253;
const labelShape = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/u;

/** What domainToASCII, made for URLs, decodes, drops or ends a host at. */
const foreign = /[\0-\u0020\u007f%/\\?#@]/u;

/** Lower-case ASCII without the root's dot, each label 1 to 63 letters, digits, `-` and `_`. */
export function isCanonicalName(name: string): boolean {
  return name.length <= longestName && isIP(name) === 0 && name.split(".").every((label) => labelShape.test(label));
}

/**
 * Undefined when it is neither name nor address: empty labels, user information, ports, paths, percent escapes, zones, control characters.
 * One dot at the end is the root's and is dropped; IPv6 may stand in brackets.
 */
export function canonicalHost(text: string): CanonicalHost | undefined {
  if (text.length > 1024 || foreign.test(text)) return undefined;
  const inner = /^\[(.+)\]$/u.exec(text)?.[1];
  const literal = parseIpAddress(inner ?? text);
  if (literal !== undefined) return inner !== undefined && isIP(inner) !== 6 ? undefined : { kind: "address", address: literal };
  if (inner !== undefined) return undefined;
  // WHATWG host parsing: UTS #46 for names; a last part that is a number makes the whole an IPv4 address or nothing.
  const ascii = domainToASCII(text).toLowerCase();
  const address = parseIpAddress(ascii);
  if (address !== undefined) return { kind: "address", address };
  const name = ascii.endsWith(".") ? ascii.slice(0, -1) : ascii;
  return isCanonicalName(name) ? { kind: "name", name } : undefined;
}

export function showHost(host: CanonicalHost): string {
  return host.kind === "name" ? host.name : showIpAddress(host.address);
}

/** `host:port`; IPv6 in brackets. Undefined without a port from 1 to 65535 or with anything else around it. */
export function parseHostPort(text: string): { readonly host: CanonicalHost; readonly port: number } | undefined {
  const parts = /^(?<host>\[[^\]]*\]|[^:]*):(?<port>[1-9]\d{0,4})$/u.exec(text)?.groups;
  const host = canonicalHost(parts?.["host"] ?? "");
  const port = Number(parts?.["port"]);
  return host === undefined || !(port <= 65_535) ? undefined : { host, port };
}

export function showHostPort(host: CanonicalHost, port: number): string {
  const text = showHost(host);
  return host.kind === "address" && host.address.family === 6 ? `[${text}]:${port}` : `${text}:${port}`;
}
