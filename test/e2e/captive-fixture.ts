// A gate of a few lines for tests of the captive network: answers every connection with where it was going, and notes what it hears.
import { once } from "node:events";
import type { Socket } from "node:net";
import type { CapturedListeners, EgressEndpoint, RefusedAttempt } from "../../src/contracts/egress.ts";

export interface Question {
  readonly bytes: Buffer;
  readonly from: string;
}

export interface TestGate extends EgressEndpoint {
  /** `ADDRESS PORT`, in order. */
  readonly connections: readonly string[];
  readonly questions: readonly Question[];
  readonly attempts: readonly RefusedAttempt[];
  /** `attach`, `close`. */
  readonly events: readonly string[];
}

export interface TestGateOptions {
  /** What to do with a connection; otherwise it is told its destination, and ended. */
  readonly answer?: (socket: Socket) => void;
  readonly attach?: (listeners: CapturedListeners) => Promise<void>;
  readonly close?: () => Promise<void>;
}

function tellDestination(socket: Socket): void {
  socket.end(`${socket.localAddress} ${socket.localPort}\n`);
}

export function openTestGate(options: TestGateOptions = {}): TestGate {
  const connections: string[] = [];
  const questions: Question[] = [];
  const attempts: RefusedAttempt[] = [];
  const events: string[] = [];
  const sockets = new Set<Socket>();
  let captured: CapturedListeners | undefined;
  return {
    connections,
    questions,
    attempts,
    events,
    attach: async (listeners) => {
      events.push("attach");
      captured = listeners;
      // A test that fails must still end.
      listeners.tcp.unref();
      listeners.dns.unref();
      listeners.tcp.on("connection", (socket: Socket) => {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => sockets.delete(socket));
        connections.push(`${socket.localAddress} ${socket.localPort}`);
        (options.answer ?? tellDestination)(socket);
      });
      listeners.dns.on("message", (bytes, { address, port }) => {
        questions.push({ bytes, from: address });
        listeners.dns.send(bytes, port, address);
      });
      await options.attach?.(listeners);
    },
    refused: (attempt) => void attempts.push(attempt),
    close: async () => {
      events.push("close");
      await options.close?.();
      if (captured === undefined) return;
      const { tcp, dns } = captured;
      const closed = Promise.all([once(tcp, "close"), once(dns, "close")]);
      tcp.close();
      dns.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
