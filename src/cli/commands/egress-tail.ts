// `glovebox egress tail TASK`: the decisions about a task's connections as they were recorded; with `--follow` also those to come, until it ends.
import { setTimeout as delay } from "node:timers/promises";
import { egressEventSchema } from "../../contracts/egress-record.ts";
import type { StoredRecord } from "../../contracts/ledger.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { usageError } from "../usage-error.ts";

const mostRecords = 10_000;
/** Between two looks at the ledger. */
const lookMs = 500;

/** Of those that are no decision about a connection, or whose details were erased: nothing. */
function lineOf({ ts, type, detail }: StoredRecord): readonly Sentence[] {
  const event = type === "egress.decision" ? egressEventSchema().safeParse(detail).data : undefined;
  if (event === undefined) return [];
  const { verdict, host, port, reason, rule, via, process } = event;
  const allowed = reason === "observed" ? "cli.egress-tail.observed" : "cli.egress-tail.allowed";
  const key = verdict === "allow" ? allowed : "cli.egress-tail.refused";
  return [{ key, values: { time: ts, host, port: port ?? "*", reason, rule: rule ?? "-", via, who: process ?? "?" } }];
}

/** Closed, or it came to nothing: a sandbox that stays open has results of its commands long before its end. */
function isOver(records: readonly StoredRecord[]): boolean {
  const has = (...types: readonly string[]): boolean => records.some(({ type }) => types.includes(type));
  return has("execution.closed", "execution.reaped") || (has("result.returned") && !has("execution.opened", "execution.unsandboxed"));
}

async function recordsOf(context: CliContext, task: string): Promise<readonly StoredRecord[]> {
  const records = await (await context.door()).records({ task, limit: mostRecords });
  if (records.length === 0) throw usageError("cli.task-without-records", { task });
  return records.toSorted((one, other) => one.seq - other.seq);
}

async function follow(context: CliContext, task: string): Promise<void> {
  let shown = -1;
  for (;;) {
    const records = await recordsOf(context, task);
    const fresh = records.filter(({ seq }) => seq > shown);
    shown = records.at(-1)?.seq ?? shown;
    await context.stdout.lines(fresh.flatMap(lineOf).map((line) => context.text(line)));
    if (isOver(records)) return;
    await delay(lookMs);
  }
}

export const egressTailCommand: CliCommand = {
  words: ["egress", "tail"],
  summary: "cli.egress-tail.summary",
  synopsis: "TASK",
  options: [{ name: "follow", about: "cli.option.follow" }],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox egress tail --follow t-0193f0c2a1b2-4d5e6f708192", about: "cli.egress-tail.example" }],
  notes: ["cli.egress-tail.note"],
  execute: async (context, { operands, options }) => {
    const [task = ""] = operands;
    if (options.has("follow") && context.isJson) throw usageError("usage.options-exclude", { option: "--follow", other: "--json" });
    if (options.has("follow")) {
      await follow(context, task);
      return 0;
    }
    const records = await recordsOf(context, task);
    if (context.isJson) {
      const decisions = records.filter(({ type }) => type === "egress.decision").map(({ seq, ts, detail }) => ({ seq, ts, ...detail }));
      await context.stdout.write(printableJson({ decisions }));
    } else await context.stdout.lines(records.flatMap(lineOf).map((line) => context.text(line)));
    return 0;
  },
};
