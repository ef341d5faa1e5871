// The bytes of one connection to a port inside, both ways.
import type { PortConnection } from "../contracts/sandbox-door.ts";
import type { AskIo } from "./answer-ask.ts";

async function sendAll(connection: PortConnection, input: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  try {
    for await (const bytes of input ?? []) await connection.send(bytes);
    connection.end();
  } catch {
    connection.close(); // it takes no more, which its own end says
  }
}

/** Resolves when the connection has ended. */
export async function relayPort(connection: PortConnection, { io, answer }: Pick<AskIo, "io" | "answer">): Promise<void> {
  const leave = (): void => connection.close();
  io.signal.addEventListener("abort", leave, { once: true });
  try {
    if (io.signal.aborted) return;
    answer(null);
    void sendAll(connection, io.stdin);
    for await (const bytes of connection.received) await io.onOutput({ channel: "stdout", bytes });
  } finally {
    io.signal.removeEventListener("abort", leave);
    connection.close();
  }
}
