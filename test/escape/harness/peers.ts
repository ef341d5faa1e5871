// Host-side peers of attacks: listeners that note what reached them, and decoy processes that wait to be attacked.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import net from "node:net";
import { createInterface } from "node:readline";
import type { ProgramCache } from "./program.ts";

export interface Listener {
  readonly port: number;
  /** Everything that arrived so far, after what is already on its way has been read. */
  received(): Promise<string>;
}

/** Lets the event loop deliver what the kernel already holds: the attacker has ended by then, so everything it sent is queued locally. */
async function drain(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** An abstract name has no permissions; a path is open to everyone, so that no permission does the wall's work. */
const optionsFor = (path: string): net.ListenOptions => (path.startsWith("\0") ? { path } : { path, readableAll: true, writableAll: true });

/** A TCP or stream listener; `where` is a port's address or a path (`\0name` for an abstract one). */
export async function listenStream(
  resources: AsyncDisposableStack,
  where: { readonly host: string } | { readonly path: string },
): Promise<Listener> {
  const chunks: string[] = [];
  const server = net.createServer((socket) => {
    socket.on("data", (bytes) => chunks.push(bytes.toString("latin1")));
    socket.on("error", () => {}); // an attacker that resets the connection has still connected
  });
  server.listen("path" in where ? optionsFor(where.path) : { host: where.host, port: 0 });
  await once(server, "listening");
  resources.defer(async () => {
    server.close();
    await once(server, "close");
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, received: async () => (await drain(), chunks.join("")) };
}

/** @param joined the address of the interface on which `host` is a group to join */
export async function listenDatagram(resources: AsyncDisposableStack, host: string, joined?: string): Promise<Listener> {
  const chunks: string[] = [];
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  socket.on("message", (bytes) => chunks.push(bytes.toString("latin1")));
  socket.bind({ address: host, port: 0 });
  await once(socket, "listening");
  if (joined !== undefined) socket.addMembership(host, joined);
  resources.defer(async () => {
    socket.close();
    await once(socket, "close");
  });
  return { port: socket.address().port, received: async () => (await drain(), chunks.join("")) };
}

/** A name that no other test uses, for words sent and sockets made. */
export const uniqueWord = (): string => `gb-${randomBytes(8).toString("hex")}`;

/** Starts a host process and ends it with the resources. */
export function startPeer(
  resources: AsyncDisposableStack,
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly environment?: Record<string, string> } = {},
): ChildProcess {
  const child = spawn(file, [...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  resources.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return child;
}

export async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new TypeError("the peer has no output");
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, "line", { signal: AbortSignal.timeout(120_000) })) as [string];
  lines.close();
  return line;
}

export interface Decoy {
  readonly pid: number;
  /** Where its secret lies in memory, decimal, and how long it is. */
  readonly address: string;
  readonly length: string;
  isAlive(): boolean;
}

/** A process of the same user on the host, with `secret` in its memory only. */
export async function startDecoy(
  resources: AsyncDisposableStack,
  cache: ProgramCache,
  secret: string,
  bait: { readonly args?: readonly string[]; readonly environment?: Record<string, string>; readonly cwd?: string } = {},
): Promise<Decoy> {
  const child = startPeer(resources, await cache.compiled("decoy"), bait.args ?? [], bait);
  child.stdin?.write(`${secret}\n`);
  const [address = "", length = ""] = (await firstLine(child)).split(" ");
  if (child.pid === undefined) throw new TypeError("the decoy did not start");
  return { pid: child.pid, address, length, isAlive: () => child.exitCode === null && child.signalCode === null };
}
