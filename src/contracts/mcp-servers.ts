// What serves the Model Context Protocol to an agent, and what it is handed. It opens sandboxes through the door like anybody else; nothing in here
// can choose a policy, answer a question or see a secret. INVARIANT I-12
import type { Door } from "./door.ts";
import type { SandboxOpening } from "./sandbox-door.ts";
import type { Sentence } from "./sentence.ts";

export interface McpServing {
  readonly door: Pick<Door, "reachBroker" | "records">;
  /** Of every sandbox that is opened here. Fixed when the server starts: no call changes it. */
  readonly opening: Pick<SandboxOpening, "policy" | "callerEnvironment">;
  /** The policy's `limits.returned`: how much of a command's output one answer holds. */
  readonly returnedBytes: number;
  /** In the language of whoever started the server; values are escaped. */
  readonly say: (sentence: Sentence) => string;
  /** Aborted: it is to leave now. */
  readonly signal: AbortSignal;
}

/** One client at the other end of a pair of streams. */
export interface McpStreams {
  readonly input: AsyncIterable<Uint8Array>;
  /** Resolves when the bytes are taken. */
  write(bytes: Uint8Array): Promise<void>;
}

export interface McpListening {
  /** Of this machine's loopback. */
  readonly address: "127.0.0.1" | "::1";
  /** 0: any free one. */
  readonly port: number;
  /** Whoever has it may use the server, and nobody else. */
  readonly token: string;
  /** Called when clients can connect. */
  onListening(url: string): Promise<void>;
}

export interface McpServers {
  /** Resolves when the client has gone, and nothing is left of its sandbox. */
  serveStreams(serving: McpServing, streams: McpStreams): Promise<void>;
  /** Resolves when it was told to leave, and nothing is left of any sandbox. @throws USAGE_INVALID when it cannot listen there */
  serveHttp(serving: McpServing, listening: McpListening): Promise<void>;
}
