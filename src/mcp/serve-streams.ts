// One client at a pair of streams. What it sends waits while it does not read, so that a client that never reads costs a bounded amount of memory.
import { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { McpServing, McpStreams } from "../contracts/mcp-servers.ts";
import { drained } from "../kit/drained.ts";
import { makeServer } from "./make-server.ts";
import { messageBytes, Session } from "./session.ts";

async function* paced(input: AsyncIterable<Uint8Array>, output: Writable): AsyncGenerator<Buffer> {
  for await (const bytes of input) {
    await drained(output);
    yield Buffer.from(bytes);
  }
}

/** Says when it has closed: at the end of the input, after a message that was too long, or because it was told to. */
class ClosingTransport extends StdioServerTransport {
  readonly #closed = Promise.withResolvers<void>();

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#closed.resolve();
  }
}

/** Resolves when the client has gone, and nothing is left of its sandbox. */
export async function serveStreams(serving: McpServing, streams: McpStreams): Promise<void> {
  const session = new Session(serving);
  const output = new Writable({
    write: (bytes: Uint8Array, _encoding, taken) => void streams.write(bytes).then(() => taken(), taken),
  });
  const input = Readable.from(paced(streams.input, output));
  const transport = new ClosingTransport(input, output, { maxBufferSize: messageBytes });
  const handle = serveStdio(() => makeServer(session), { transport });
  const leave = (): void => void handle.close();
  // Nobody reads the answers any more.
  output.once("error", leave);
  serving.signal.addEventListener("abort", leave, { once: true });
  if (serving.signal.aborted) leave();
  await transport.closed;
  serving.signal.removeEventListener("abort", leave);
  await session.sandbox.close();
}
