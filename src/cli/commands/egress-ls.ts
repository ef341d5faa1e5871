// `glovebox egress ls TASK`: what a task did with the network, and what was refused.
import { usageError } from "../usage-error.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showBytes } from "../../kit/show-quantity.ts";
import { type EgressConnection, unreachedEnds } from "../../contracts/egress-record.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import type { CliCommand } from "../command.ts";
import { type TaskEgressLists, readTaskEgress } from "../task-egress.ts";

function connectionKey({ isObserved, isUnresolved, end }: EgressConnection): string {
  if (unreachedEnds.has(end)) return "cli.egress-ls.unreached";
  if (isObserved === true) return "cli.egress-ls.observed";
  return isUnresolved === true ? "task.happened.connection-unresolved" : "task.happened.connection";
}

function connectionLine(connection: EgressConnection): Sentence {
  const { host, port, protocol, end, rule, sentBytes, receivedBytes } = connection;
  const bytes = { sent: showBytes(sentBytes), received: showBytes(receivedBytes) };
  return { key: connectionKey(connection), values: { host, port, protocol: protocol ?? "-", end, rule: rule ?? "-", ...bytes } };
}

function lines({ connections, refusals }: TaskEgressLists): readonly Sentence[] {
  return [
    ...connections.map(connectionLine),
    ...refusals.map(({ host, port, reason, rule, process, count }) => ({
      key: "cli.egress-ls.refused",
      values: { host, port: port ?? "*", reason, rule: rule ?? "-", who: process ?? "?", count },
    })),
  ];
}

export const egressLsCommand: CliCommand = {
  words: ["egress", "ls"],
  summary: "cli.egress-ls.summary",
  synopsis: "TASK",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox egress ls t-0193f0c2a1b2-4d5e6f708192", about: "cli.egress-ls.example" }],
  execute: async (context, input) => {
    const found = await readTaskEgress(context, input);
    if (found === undefined) throw usageError("cli.task-without-records", { task: input.operands[0] ?? "" });
    const { stdout, stderr, text } = context;
    if (context.isJson) await stdout.write(printableJson(found));
    else if (found.connections.length + found.refusals.length === 0) await stderr.line(text({ key: "cli.egress-ls.empty" }));
    else await stdout.lines(lines(found).map((line) => text(line)));
    return 0;
  },
};
