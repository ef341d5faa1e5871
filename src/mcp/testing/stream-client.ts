// A client at the streams of a server, for tests: it speaks line by line, also what no client should.
import type { McpServing } from "../../contracts/mcp-servers.ts";
import type { SandboxDoor } from "../../contracts/sandbox-door.ts";
import type { StoredRecord } from "../../contracts/ledger.ts";
import { fakeBroker } from "../../contracts/testing/fake-broker.ts";
import { serveStreams } from "../serve-streams.ts";

export type Message = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Message => typeof value === "object" && value !== null && !Array.isArray(value);

/** An error of the protocol has no text, and is in the document; arguments that are refused have no document. */
export interface ToolSaid {
  readonly isError: boolean;
  readonly text: string;
  readonly document: Message;
}

export interface StreamClientOptions {
  /** Methods of the sandboxes' door with an own answer. */
  readonly sandboxes?: Partial<SandboxDoor>;
  readonly records?: readonly StoredRecord[];
  readonly returnedBytes?: number;
  /** The reader has stopped. */
  readonly isStalled?: boolean;
}

export class StreamClient {
  readonly messages: Message[] = [];
  /** Resolves when the server has left. */
  readonly served: Promise<void>;
  /** Lines that the server has asked for. */
  readLines = 0;
  brokersReached = 0;
  readonly #leaving = new AbortController();
  readonly #options: StreamClientOptions;
  readonly #lines: string[] = [];
  #wake = Promise.withResolvers<void>();
  #heard = Promise.withResolvers<void>();
  #isOver = false;
  #rest = "";
  #lastId = 0;

  constructor(options: StreamClientOptions = {}) {
    this.#options = options;
    this.served = serveStreams(this.#serving(), { input: this.#input(), write: (bytes) => this.#take(bytes) });
  }

  #serving(): McpServing {
    const { records = [], returnedBytes = 1000, sandboxes } = this.#options;
    const reachBroker = async () => {
      this.brokersReached += 1;
      return fakeBroker(sandboxes);
    };
    return {
      door: { reachBroker, records: async () => records },
      opening: { policy: { projectDirectory: "/project" }, callerEnvironment: { LANG: "C" } },
      returnedBytes,
      say: ({ key, values }) => `${key} ${JSON.stringify(values ?? {})}`,
      signal: this.#leaving.signal,
    };
  }

  async *#input(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) {
        this.readLines += 1;
        yield Buffer.from(`${line}\n`);
      } else if (this.#isOver) return;
      else await this.#wake.promise;
    }
  }

  async #take(bytes: Uint8Array): Promise<void> {
    if (this.#options.isStalled === true) await new Promise<never>(() => {});
    this.#rest += Buffer.from(bytes).toString();
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const message: unknown = JSON.parse(line);
      if (isRecord(message)) this.messages.push(message);
    }
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }

  send(line: string): void {
    this.#lines.push(line);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  notify(method: string, params: Message = {}): void {
    this.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Returns the id. */
  request(method: string, params: unknown): number {
    this.#lastId += 1;
    this.send(JSON.stringify({ jsonrpc: "2.0", id: this.#lastId, method, params }));
    return this.#lastId;
  }

  /** The first message that is meant, also one that came before. */
  async hear(isMeant: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(isMeant);
      if (found !== undefined) return found;
      await this.#heard.promise;
    }
  }

  async answer(method: string, params: unknown): Promise<Message> {
    const id = this.request(method, params);
    return this.hear((message) => message["id"] === id);
  }

  /** Greets as clients do. */
  async greet(): Promise<void> {
    const clientInfo = { name: "test", version: "1" };
    await this.answer("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    this.notify("notifications/initialized");
  }

  /** What a tool answered; an error of the protocol is `{ error }`. */
  async call(name: string, input: unknown): Promise<ToolSaid> {
    const { result, error } = await this.answer("tools/call", { name, arguments: input });
    if (!isRecord(result)) return { isError: true, text: "", document: { error } };
    const parts: readonly unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
    const [part] = parts;
    const text = isRecord(part) ? String(part["text"]) : "";
    const isError = result["isError"] === true;
    const document: unknown = text.startsWith("{") ? JSON.parse(text) : undefined;
    return { isError, text, document: isRecord(document) ? document : {} };
  }

  /** Ends the input. */
  end(): void {
    this.#isOver = true;
    this.#wake.resolve();
  }

  /** As a signal to the server's process would. */
  tellToLeave(): void {
    this.#leaving.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.served;
  }
}
