// `glovebox sandbox logs SANDBOX [COMMAND]`: the last output of what runs in a sandbox without anybody reading it.
import type { SandboxLog } from "../../contracts/sandbox-door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { createLiveSink } from "../run/output-sink.ts";
import { sandboxOperand } from "../sandbox/sandbox-operand.ts";

const documentOf = ({ bytes, ...log }: SandboxLog) => ({ ...log, untrusted: true, text: Buffer.from(bytes).toString("utf8") });

async function show(context: CliContext, logs: readonly SandboxLog[]): Promise<void> {
  const { stdout, stderr, text } = context;
  const sink = createLiveSink({ stdout, stderr, hasPty: false, onClosed: () => {} });
  for (const { action, state, bytes, droppedBytes } of logs) {
    const values = { action, dropped: droppedBytes };
    await stderr.line(
      stderr.style("dim", text({ key: state === "ended" ? "cli.sandbox-logs.ended" : "cli.sandbox-logs.running", values })),
    );
    await sink.take({ channel: "stdout", bytes });
  }
  await sink.finish();
}

export const sandboxLogsCommand: CliCommand = {
  words: ["sandbox", "logs"],
  summary: "cli.sandbox-logs.summary",
  synopsis: "SANDBOX [COMMAND]",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 2 },
  examples: [{ line: "glovebox sandbox logs s-0193f0c2a1b2-4d5e6f708192", about: "cli.sandbox-logs.example" }],
  execute: async (context, input) => {
    await using broker = await (await context.door()).reachRunningBroker();
    const access = await broker.access(sandboxOperand(input));
    const logs = await broker.sandboxes.logs(access, input.operands[1]);
    if (context.isJson) await context.stdout.write(printableJson({ logs: logs.map(documentOf) }));
    else if (logs.length === 0) await context.stderr.line(context.text({ key: "cli.sandbox-logs.empty" }));
    else await show(context, logs);
    return 0;
  },
};
