// What all servers of one session share: over HTTP each request of a newer client has a server of its own.
import type { McpServing } from "../contracts/mcp-servers.ts";
import { SessionSandbox } from "./session-sandbox.ts";

/** Of one session. A connection of the door bears 64 requests. */
export const callsAtOnce = 16;

/** Longest message of a client, in bytes. */
export const messageBytes = 4 * 1024 * 1024;

export class Session {
  readonly serving: McpServing;
  readonly sandbox: SessionSandbox;
  #calls = 0;

  constructor(serving: McpServing) {
    this.serving = serving;
    this.sandbox = new SessionSandbox(serving);
  }

  /** False when as many calls run as may; otherwise one more does, until `leave`. */
  enter(): boolean {
    if (this.#calls >= callsAtOnce) return false;
    this.#calls += 1;
    return true;
  }

  leave(): void {
    this.#calls -= 1;
  }
}
