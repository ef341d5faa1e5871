// What the ledger holds of one task's connections.
import { type EgressConnection, type EgressRefusal, egressSummarySchema } from "../contracts/egress-record.ts";
import { madeOnce } from "../contracts/made-once.ts";
import type { CliContext, CommandInput } from "./command.ts";

export interface TaskEgressLists {
  readonly connections: readonly EgressConnection[];
  readonly refusals: readonly EgressRefusal[];
}

const listsSchema = madeOnce(() => egressSummarySchema().pick({ connections: true, refusals: true }));
const mostRecords = 10_000;

/** Undefined when there is no record of the task; empty when it asked for nothing, or when its details were erased. */
export async function readTaskEgress(context: CliContext, { operands }: CommandInput): Promise<TaskEgressLists | undefined> {
  const records = await (await context.door()).records({ task: operands[0] ?? "", limit: mostRecords });
  if (records.length === 0) return undefined;
  const found = records.find(({ type }) => type === "execution.egress");
  return listsSchema().safeParse(found?.detail).data ?? { connections: [], refusals: [] };
}
