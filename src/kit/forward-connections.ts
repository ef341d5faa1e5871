// Connections to a port of this machine's loopback, each joined to a way that somebody else dials.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** The far end of one connection. */
export interface FarEnd {
  readonly received: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): Promise<void>;
  end(): void;
  close(): void;
}

export interface Forwarding {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  /** No further connections, and the end of those that are. Resolves when the port is free. */
  close(): Promise<void>;
}

async function sendAll(socket: Socket, far: FarEnd): Promise<void> {
  for await (const bytes of socket) if (bytes instanceof Uint8Array) await far.send(bytes);
  far.end();
}

async function join(socket: Socket, dial: () => Promise<FarEnd>): Promise<void> {
  socket.on("error", () => {}); // the end of the loop below says it
  const far = await dial();
  sendAll(socket, far).catch(() => far.close());
  socket.once("close", () => far.close());
  try {
    for await (const bytes of far.received) if (!socket.write(bytes)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    socket.end();
  } finally {
    far.close();
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
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    join(socket, dial).catch(() => socket.destroy());
  });
  return {
    port: await listen(server, port),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
