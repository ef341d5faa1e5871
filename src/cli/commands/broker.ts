// `glovebox broker`: the process that holds sandboxes which outlive a command. `sandbox open` starts it; `--stop` ends it and all that it holds.
import type { CliCommand, CliContext } from "../command.ts";
import { relaySignals } from "../run/relay-signals.ts";

/** One line for whoever started us: that clients can connect, that another broker runs, or why there will be none. */
async function serve(context: CliContext): Promise<number> {
  const ending = new AbortController();
  const signals = relaySignals(context.io.events, () => ending.abort());
  const say = (word: unknown): Promise<void> => context.stdout.write(`${JSON.stringify(word)}\n`);
  try {
    const isOurs = await (await context.door()).serveBroker({ signal: ending.signal, say });
    return isOurs ? 0 : 1;
  } finally {
    signals.release();
  }
}

export const brokerCommand: CliCommand = {
  words: ["broker"],
  summary: "cli.broker.summary",
  synopsis: "",
  options: [{ name: "stop", about: "cli.option.stop-broker" }],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox broker --stop", about: "cli.broker.example" }],
  notes: ["cli.broker.note"],
  execute: async (context, input) => {
    if (!input.options.has("stop")) return serve(context);
    await (await context.door()).stopBroker();
    return 0;
  },
};
