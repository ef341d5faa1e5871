// One plain HTTP request as Node's parser read it: refuses every form that two programs could read in two ways, and says where it goes. It parses no
// bytes a second time; names are read by the one reader of hosts.
import { canonicalHost, parseHostPort, showHost, showHostPort } from "../kit/host-name.ts";

export interface RequestHead {
  readonly method: string;
  /** The request target as it was sent. */
  readonly url: string;
  readonly httpVersion: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

export interface RequestTarget {
  readonly host: string;
  readonly port: number;
  /** What the host is asked for. */
  readonly path: string;
  /** `Host` as we write it. */
  readonly authority: string;
}

const mostHeaders = 100;
const hopByHop = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "te",
  "trailer",
  "upgrade",
  "proxy-authorization",
  "proxy-authenticate",
  "expect",
  "host",
]);

export function headerPairs(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: Math.floor(rawHeaders.length / 2) }, (_, index) => [
    rawHeaders[2 * index] ?? "",
    rawHeaders[2 * index + 1] ?? "",
  ]);
}

function valuesOf(pairs: readonly (readonly [string, string])[], name: string): readonly string[] {
  return pairs.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}

/** How long a body is must have one reading. */
function hasPlainFraming({ httpVersion }: RequestHead, pairs: readonly (readonly [string, string])[]): boolean {
  const codings = valuesOf(pairs, "transfer-encoding");
  const lengths = valuesOf(pairs, "content-length");
  if (codings.length === 0) return lengths.length === 0 || (lengths.length === 1 && /^\d{1,15}$/u.test(lengths[0] ?? ""));
  return lengths.length === 0 && codings.length === 1 && codings[0]?.toLowerCase() === "chunked" && httpVersion === "1.1";
}

function readAuthority(text: string): Pick<RequestTarget, "host" | "port"> | undefined {
  const place = parseHostPort(text);
  if (place !== undefined) return { host: showHost(place.host), port: place.port };
  const host = canonicalHost(text);
  // Bare IPv6 would be ambiguous.
  return host === undefined || (host.kind === "address" && text.includes(":") && !text.startsWith("["))
    ? undefined
    : { host: showHost(host), port: 80 };
}

/** Of a header that is a list. */
const listOf = (pairs: readonly (readonly [string, string])[], name: string): readonly string[] =>
  valuesOf(pairs, name).flatMap((value) => value.split(",").map((each) => each.trim().toLowerCase()));

/** RFC 6455, 4.2.1. No other upgrade passes. */
function asksForWebSocket({ method, httpVersion }: RequestHead, pairs: readonly (readonly [string, string])[]): boolean {
  const only = (name: string, form: RegExp): boolean => {
    const values = valuesOf(pairs, name);
    return values.length === 1 && form.test(values[0] ?? "");
  };
  const hasBody = ["content-length", "transfer-encoding"].some((name) => valuesOf(pairs, name).length > 0);
  return (
    method === "GET" &&
    httpVersion === "1.1" &&
    !hasBody &&
    listOf(pairs, "connection").includes("upgrade") &&
    only("upgrade", /^websocket$/iu) &&
    only("sec-websocket-version", /^13$/u) &&
    only("sec-websocket-key", /^[A-Za-z0-9+/]{22}==$/u)
  );
}

/** RFC 9110, 10.1.1: there is one. */
function isExpectationKnown(pairs: readonly (readonly [string, string])[]): boolean {
  const expectations = valuesOf(pairs, "expect");
  return expectations.length === 0 || (expectations.length === 1 && expectations[0]?.toLowerCase() === "100-continue");
}

function isPlain(head: RequestHead, pairs: readonly (readonly [string, string])[], isUpgrade = false): boolean {
  const isKnownVersion = head.httpVersion === "1.1" || head.httpVersion === "1.0";
  const upgrades = valuesOf(pairs, "upgrade").length > 0 || valuesOf(pairs, "http2-settings").length > 0;
  const isUnderstood = isUpgrade ? asksForWebSocket(head, pairs) : !upgrades && isExpectationKnown(pairs);
  return isKnownVersion && isUnderstood && head.method !== "TRACE" && pairs.length <= mostHeaders && hasPlainFraming(head, pairs);
}

/** The absolute form of a request to a proxy, or the origin form of one that was captured. */
function readTarget(
  url: string,
  form: "absolute" | "origin",
): { readonly authority: string | undefined; readonly path: string } | undefined {
  if (form === "origin") return /^\/[^#\s]*$/u.test(url) || url === "*" ? { authority: undefined, path: url } : undefined;
  const parts = /^http:\/\/(?<authority>[^/?#\\]+)(?<path>[/?][^#\s]*)?$/iu.exec(url)?.groups;
  const path = parts?.["path"] ?? "/";
  return parts === undefined ? undefined : { authority: parts["authority"], path: path.startsWith("?") ? `/${path}` : path };
}

/** @param isUpgrade of a connection that is to become a WebSocket. Undefined: 400. */
export function judgeRequest(head: RequestHead, form: "absolute" | "origin", isUpgrade = false): RequestTarget | undefined {
  const pairs = headerPairs(head.rawHeaders);
  const target = isPlain(head, pairs, isUpgrade) ? readTarget(head.url, form) : undefined;
  const hosts = valuesOf(pairs, "host");
  const [named = target?.authority] = hosts;
  if (target === undefined || hosts.length > 1 || named === undefined) return undefined;
  if (hosts.length === 0 && head.httpVersion !== "1.0") return undefined;
  const header = readAuthority(named);
  const asked = target.authority === undefined ? header : readAuthority(target.authority);
  if (header === undefined || asked === undefined || header.host !== asked.host || header.port !== asked.port) return undefined;
  const host = canonicalHost(asked.host);
  if (host === undefined) return undefined;
  const authority = showHostPort(host, asked.port);
  return { ...asked, path: target.path, authority: asked.port === 80 ? authority.replace(/:80$/u, "") : authority };
}

export interface ConnectPlace {
  readonly host: string;
  readonly port: number;
}

export function connectPlace(url: string): ConnectPlace | undefined {
  const place = parseHostPort(url);
  return place && { host: showHost(place.host), port: place.port };
}

/** The place of a CONNECT; undefined: 400. */
export function judgeConnect(head: RequestHead, placeOf = connectPlace): ConnectPlace | undefined {
  const pairs = headerPairs(head.rawHeaders);
  const hasBody = valuesOf(pairs, "transfer-encoding").length > 0 || valuesOf(pairs, "content-length").some((length) => length !== "0");
  return hasBody || !isPlain(head, pairs) || valuesOf(pairs, "host").length > 1 ? undefined : placeOf(head.url);
}

/** What goes on: everything but what is between client and proxy, and what `Connection` names. */
export function forwardedHeaders(rawHeaders: readonly string[]): string[] {
  const pairs = headerPairs(rawHeaders);
  const named = listOf(pairs, "connection");
  const dropped = new Set([...hopByHop, ...named.filter((name) => name !== "content-length" && name !== "transfer-encoding")]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
