// The bytes of one connection to a port inside, both ways.
import type { PortConnection } from "../contracts/sandbox-door.ts";
import type { AskIo } from "./answer-ask.ts";

type PortIo = Pick<AskIo, "io" | "answer" | "endOutput">;

async function sendAll(connection: PortConnection, input: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  try {
    for await (const bytes of input ?? []) await connection.send(bytes);
    connection.end();
  } catch {
    connection.close(); // it takes no more, which its own end says
  }
}

/** Resolves when both directions have ended. */
export async function relayPort(connection: PortConnection, { io, answer, endOutput }: PortIo): Promise<void> {
  const leave = (): void => connection.close();
  io.signal.addEventListener("abort", leave, { once: true });
  try {
    if (io.signal.aborted) return;
    answer(null);
    void sendAll(connection, io.stdin);
    for await (const bytes of connection.received) await io.onOutput({ channel: "stdout", bytes });
    endOutput();
    await connection.ended; // what was sent may still be on its way
  } finally {
    io.signal.removeEventListener("abort", leave);
    connection.close();
  }
}
