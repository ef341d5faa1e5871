// Listeners on the host's own loopback that note what reaches them. Each is first reached from the host, so that silence means something.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import net from "node:net";

export interface Ear {
  readonly protocol: "tcp" | "udp";
  readonly address: string;
  readonly port: number;
  /** Whether the host itself reached it: without that, silence proves nothing. */
  readonly isReached: boolean;
  /** Everything that came. */
  readonly heard: () => string;
}

const control = "control";
const controlMs = 2000;

async function tcpEar(resources: AsyncDisposableStack, address: string): Promise<Ear> {
  let heard = "";
  const reached = Promise.withResolvers<boolean>();
  const server = net.createServer((socket) => {
    heard += "connection ";
    socket.on("error", () => {}); // whoever resets a connection has still connected
    socket.on("data", (bytes: Buffer) => {
      heard += bytes.subarray(0, 200).toString("latin1");
      if (heard.includes(control)) reached.resolve(true);
    });
  });
  server.listen({ host: address, port: 0 });
  await once(server, "listening");
  resources.defer(async () => {
    server.close();
    await once(server, "close");
  });
  const at = server.address();
  const port = typeof at === "object" && at !== null ? at.port : 0;
  const caller = net.connect({ host: address, port });
  caller.on("error", () => reached.resolve(false));
  caller.end(control);
  const isReached = await within(reached.promise);
  caller.destroy();
  heard = "";
  return { protocol: "tcp", address, port, isReached, heard: () => heard };
}

async function udpEar(resources: AsyncDisposableStack, address: string): Promise<Ear> {
  let heard = "";
  const reached = Promise.withResolvers<boolean>();
  const socket = createSocket("udp4");
  socket.on("message", (bytes) => {
    heard += bytes.subarray(0, 200).toString("latin1");
    if (heard.includes(control)) reached.resolve(true);
  });
  socket.bind({ address, port: 0 });
  await once(socket, "listening");
  resources.defer(async () => {
    socket.close();
    await once(socket, "close");
  });
  const { port } = socket.address();
  socket.send(control, port, address);
  const isReached = await within(reached.promise);
  heard = "";
  return { protocol: "udp", address, port, isReached, heard: () => heard };
}

async function within(reached: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), controlMs);
  try {
    return await Promise.race([reached, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closed with the resources. IPv6 only where the host has it. */
export async function openEars(resources: AsyncDisposableStack): Promise<readonly Ear[]> {
  const six = await tcpEar(resources, "::1").catch(() => undefined); // a host without IPv6 has no IPv6 loopback to reach
  return [await tcpEar(resources, "127.0.0.1"), await udpEar(resources, "127.0.0.1"), ...(six === undefined ? [] : [six])];
}
