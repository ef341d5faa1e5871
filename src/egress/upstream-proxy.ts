// A company's proxy between the gate and the outside: HTTP, HTTPS or SOCKS5, with a name and a password. It is asked for tunnels, and takes plain
// requests as they are: many proxies tunnel to the port of TLS only. What may be reached through it was decided before.
import { once } from "node:events";
import type { Socket } from "node:net";
import { connect as connectTls, rootCertificates } from "node:tls";
import { canonicalHost, showHostPort } from "../kit/host-name.ts";
import { isInRange, parseIpAddress, parseIpRange } from "../kit/ip-address.ts";
import type { UpstreamSettings } from "./gate-messages.ts";
import { readUntil } from "./first-bytes.ts";
import type { ProxyLine } from "./open-connection.ts";
import { EgressEnd } from "./reason.ts";

/** How the proxy itself is reached. */
export type ReachProxy = (host: string, port: number) => Promise<Socket>;

const headEnd = Buffer.from("\r\n\r\n");

function placeOf(host: string, port: number): string {
  const canonical = canonicalHost(host);
  if (canonical === undefined) throw new EgressEnd("proxy");
  return showHostPort(canonical, port);
}

/** Who asks, as a header's name and value; empty where the proxy asks nobody. */
function authorization({ user, password }: UpstreamSettings): readonly string[] {
  return user === undefined ? [] : ["Proxy-Authorization", `Basic ${Buffer.from(`${user}:${password ?? ""}`).toString("base64")}`];
}

async function tunnelHttp(socket: Socket, settings: UpstreamSettings, place: string): Promise<void> {
  const who = authorization(settings);
  const header = who.length === 0 ? "" : `${who.join(": ")}\r\n`;
  socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${header}\r\n`);
  const status = await readUntil(socket, (bytes) => {
    const end = bytes.indexOf(headEnd);
    return end === -1 ? undefined : { value: bytes.toString("latin1", 0, 12), length: end + headEnd.length };
  });
  if (!/^HTTP\/1\.[01] 2\d\d$/u.test(status)) throw new EgressEnd("proxy");
}

const exactly = (length: number) => (bytes: Buffer) => (bytes.length < length ? undefined : { value: bytes.subarray(0, length), length });

/** RFC 1929. */
async function authenticate(socket: Socket, user: string, password: string): Promise<void> {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  if (name.length > 255 || secret.length > 255) throw new EgressEnd("proxy");
  socket.write(Buffer.from([1, name.length, ...name, secret.length, ...secret]));
  const answer = await readUntil(socket, exactly(2));
  if (answer[1] !== 0) throw new EgressEnd("proxy");
}

/** The address that the proxy bound, behind its type: of no interest, but it has to be read. */
function replyLength(bytes: Buffer): number | undefined {
  const lengths: Readonly<Record<number, number>> = { 1: 4, 4: 16, 3: 1 + (bytes[4] ?? 0) };
  const length = lengths[bytes[3] ?? 0];
  return bytes.length < 5 || length === undefined ? undefined : 4 + length + 2;
}

async function tunnelSocks(socket: Socket, { user, password }: UpstreamSettings, host: string, port: number): Promise<void> {
  socket.write(Buffer.from(user === undefined ? [5, 1, 0] : [5, 2, 0, 2]));
  const [, method] = await readUntil(socket, exactly(2));
  if (method === 2 && user !== undefined) await authenticate(socket, user, password ?? "");
  else if (method !== 0) throw new EgressEnd("proxy");
  const name = Buffer.from(host);
  // An address as text is understood as a name that is one.
  socket.write(Buffer.from([5, 1, 0, 3, name.length, ...name, port >> 8, port & 255]));
  const reply = await readUntil(socket, (bytes) => {
    if (bytes.length >= 2 && bytes[1] !== 0) return { value: bytes, length: bytes.length };
    const length = replyLength(bytes);
    return length === undefined || bytes.length < length ? undefined : { value: bytes, length };
  });
  if (reply[1] !== 0) throw new EgressEnd("proxy");
}

async function overTls(socket: Socket, { host, authorities }: UpstreamSettings): Promise<Socket> {
  const isName = parseIpAddress(host) === undefined;
  const ca = authorities === undefined ? {} : { ca: [...rootCertificates, authorities] };
  const secure = connectTls({ socket, ...(isName ? { servername: host } : {}), ...ca, ALPNProtocols: ["http/1.1"] });
  secure.on("error", () => {});
  await once(secure, "secureConnect").catch(() => {
    throw new EgressEnd("proxy");
  });
  return secure;
}

/** Nothing has been asked of the proxy then but who it is. */
export async function reachUpstream(settings: UpstreamSettings, reach: ReachProxy): Promise<ProxyLine> {
  const plain = await reach(settings.host, settings.port);
  try {
    const socket = settings.kind === "https" ? await overTls(plain, settings) : plain;
    const tunnel = (host: string, port: number): Promise<void> =>
      settings.kind === "socks5" ? tunnelSocks(socket, settings, host, port) : tunnelHttp(socket, settings, placeOf(host, port));
    return { socket, tunnel, forward: settings.kind === "socks5" ? undefined : authorization(settings) };
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

/** Whether the proxy is left out: `*`, a name with all below it, a range for what the name resolves to. */
export function skipsProxy(noProxy: readonly string[], host: string, addresses: readonly string[]): boolean {
  const literals = [host, ...addresses].flatMap((text) => parseIpAddress(text) ?? []);
  return noProxy.some((entry) => {
    const range = parseIpRange(entry);
    if (range !== undefined) return literals.some((address) => isInRange(address, range));
    const name = entry.replace(/^\*?\./u, "").toLowerCase();
    return entry === "*" || host === name || host.endsWith(`.${name}`);
  });
}
