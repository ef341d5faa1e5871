// Connections to a port of this machine's loopback, each joined to a way that somebody else dials.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { drained } from "./drained.ts";

/** The far end of one connection. */
export interface FarEnd {
  readonly received: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): Promise<void>;
  end(): void;
  close(): void;
  /** Resolves when nobody serves it any more. */
  readonly ended: Promise<void>;
}

export interface Forwarding {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  /** No further connections, and the end of those that are. Resolves when the port is free. Idempotent. */
  close(): Promise<void>;
  /** Resolves when it listens no more. */
  readonly ended: Promise<void>;
}

async function sendAll(socket: Socket, far: FarEnd): Promise<void> {
  // A plain loop would end the other direction with this one.
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) if (bytes instanceof Uint8Array) await far.send(bytes);
  far.end();
}

/** Resolves when nothing of the connection is left, at either end: each direction ends by itself, and what is under way still arrives. */
async function join(socket: Socket, far: FarEnd): Promise<void> {
  sendAll(socket, far).catch(() => far.close());
  socket.once("close", () => {
    if (!socket.readableEnded || !socket.writableFinished) far.close(); // it broke off
  });
  try {
    for await (const bytes of far.received) if (!socket.write(bytes)) await drained(socket);
    socket.end();
    await far.ended;
  } finally {
    far.close();
    socket.destroySoon(); // once it has what was written
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** @param port 0: one that is free @throws what listen(2) reports */
export async function forwardConnections(port: number, dial: () => Promise<FarEnd>): Promise<Forwarding> {
  const sockets = new Set<Socket>();
  const fars = new Set<FarEnd>();
  const serve = async (socket: Socket): Promise<void> => {
    const far = await dial();
    fars.add(far);
    await join(socket, far).finally(() => fars.delete(far));
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {}); // its close says it
    serve(socket).catch(() => socket.destroy());
  });
  const ended = Promise.withResolvers<void>();
  server.once("close", () => ended.resolve());
  const close = (): Promise<void> => {
    server.close();
    for (const socket of sockets) socket.destroy();
    for (const far of fars) far.close();
    return ended.promise;
  };
  return { port: await listen(server, port), close, ended: ended.promise };
}
