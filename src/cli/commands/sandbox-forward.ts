// `glovebox sandbox forward SANDBOX PORT`: what listens on a port inside answers on a port of this machine's loopback, until it is interrupted.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { PortConnection } from "../../contracts/sandbox-door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { relaySignals } from "../run/relay-signals.ts";
import { sandboxOperand } from "../sandbox/sandbox-operand.ts";
import { usageError } from "../usage-error.ts";

function portOf(given: string, what: string): number {
  const port = /^\d{1,5}$/u.test(given) ? Number(given) : 0;
  if (port < 1 || port > 65_535) throw usageError("usage.number-invalid", { option: what, value: given, maximum: 65_535 });
  return port;
}

async function sendAll(socket: Socket, inside: PortConnection): Promise<void> {
  for await (const bytes of socket) if (bytes instanceof Uint8Array) await inside.send(bytes);
  inside.end();
}

async function join(socket: Socket, dial: () => Promise<PortConnection>): Promise<void> {
  socket.on("error", () => {}); // the end of the loop below says it
  const inside = await dial();
  sendAll(socket, inside).catch(() => inside.close());
  socket.once("close", () => inside.close());
  try {
    for await (const bytes of inside.received) if (!socket.write(bytes)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    socket.end();
  } finally {
    inside.close();
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

async function untilInterrupted({ io }: CliContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const signals = relaySignals(io.events, resolve);
  await promise;
  signals.release();
}

async function forward(context: CliContext, input: CommandInput): Promise<number> {
  const port = portOf(input.operands[1] ?? "", "PORT");
  const own = input.options.text("listen");
  await using broker = await (await context.door()).reachRunningBroker();
  const access = await broker.access(sandboxOperand(input));
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    join(socket, () => broker.sandboxes.connect(access, port)).catch(() => socket.destroy());
  });
  const listening = await listen(server, own === undefined ? 0 : portOf(own, "--listen"));
  const { stdout, text, isJson } = context;
  if (isJson) await stdout.write(printableJson({ address: "127.0.0.1", port: listening }));
  else await stdout.line(text({ key: "cli.sandbox-forward.listening", values: { port: String(listening), inside: String(port) } }));
  await untilInterrupted(context);
  server.close();
  for (const socket of sockets) socket.destroy();
  return 0;
}

export const sandboxForwardCommand: CliCommand = {
  words: ["sandbox", "forward"],
  summary: "cli.sandbox-forward.summary",
  synopsis: "SANDBOX PORT",
  options: [{ name: "listen", value: "PORT", about: "cli.option.listen" }],
  arguments: { kind: "operands", minimum: 2, maximum: 2 },
  examples: [{ line: "glovebox sandbox forward s-0193f0c2a1b2-4d5e6f708192 5173 --listen 8080", about: "cli.sandbox-forward.example" }],
  notes: ["cli.sandbox-forward.note"],
  execute: forward,
};
