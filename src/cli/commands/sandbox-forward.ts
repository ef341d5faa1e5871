// `glovebox sandbox forward SANDBOX PORT`: what listens on a port inside answers on a port of this machine's loopback, until it is interrupted or the
// sandbox has ended.
import { forwardConnections } from "../../kit/forward-connections.ts";
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

/** Resolves when it is interrupted. @throws SANDBOX_CLOSED when there is nothing left to reach, BROKER_UNAVAILABLE */
async function untilOver({ io }: CliContext, ended: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  const signals = relaySignals(io.events, () => interrupted.abort());
  await ended(interrupted.signal).finally(() => signals.release());
}

async function forward(context: CliContext, input: CommandInput): Promise<number> {
  const port = portOf(input.operands[1] ?? "", "PORT");
  const own = input.options.text("listen");
  await using broker = await (await context.door()).reachRunningBroker();
  const access = await broker.access(sandboxOperand(input));
  const dial = () => broker.sandboxes.connect(access, port);
  const forwarding = await forwardConnections(own === undefined ? 0 : portOf(own, "--listen"), dial);
  const { stdout, text, isJson } = context;
  if (isJson) await stdout.write(printableJson({ address: "127.0.0.1", port: forwarding.port }));
  else await stdout.line(text({ key: "cli.sandbox-forward.listening", values: { port: String(forwarding.port), inside: String(port) } }));
  await untilOver(context, (signal) => broker.sandboxes.untilEnded(access, signal)).finally(() => forwarding.close());
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
