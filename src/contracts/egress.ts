// What a boundary and the gate are to each other: the captured sockets of one sandbox, and what the kernel refused there. INVARIANT I-06
// It knows no rules: who may go where is the gate's business.
import type { Socket } from "node:dgram";
import type { Server } from "node:net";

/** What a boundary hands to the gate when a sandbox opens; the gate owns them from then on. */
export interface CapturedListeners {
  /** Every TCP connection to any outside address and port: a socket's local address and port are the original destination (IPv4 as `::ffff:`, but on a machine without IPv6). */
  readonly tcp: Server;
  /** Every datagram to port 53 of any outside address; an answer to the sender arrives as if the asked address had sent it. */
  readonly dns: Socket;
}

/** A packet that the kernel refused in the captive network, as the host saw it. Every value was chosen by somebody hostile. */
export interface RefusedAttempt {
  readonly protocol: "tcp" | "udp" | "icmp" | "other";
  /** The destination, in the kernel's spelling. */
  readonly address: string;
  /** Of the destination; absent where the protocol has none. */
  readonly port?: number;
  /** The name that the sending process gave itself, unescaped; absent when it was not found. */
  readonly process?: string;
}

/** The gate's side of one sandbox. */
export interface EgressEndpoint {
  /** Resolves when the gate listens; the boundary runs no command before. */
  attach(listeners: CapturedListeners): Promise<void>;
  refused(attempt: RefusedAttempt): void;
  /** Called before anything else at close, and when a sandbox that had attached could not be opened. */
  close(): Promise<void>;
}
