// `list_refusals`: what was refused in this session and why, from the ledger. It tells what a person could change, and changes nothing.
import * as z from "zod";
import { draftRule } from "../../contracts/draft-rule.ts";
import { egressEventSchema } from "../../contracts/egress-record.ts";
import type { StoredRecord } from "../../contracts/ledger.ts";
import type { McpTool, Say } from "../tool.ts";

/** As far back as is looked in one task. */
const mostRecords = 10_000;

const inputFor = (say: Say) =>
  z.strictObject({
    limit: z
      .int()
      .min(1)
      .max(200)
      .default(50)
      .describe(say({ key: "mcp.input.limit" })),
  });

interface Refusal {
  readonly at: string;
  readonly kind: "command" | "connection" | "call";
  readonly [about: string]: unknown;
}

/** Of a long command its beginning. */
const cut = (argv: unknown): readonly string[] => (Array.isArray(argv) ? argv.slice(0, 32).map((word) => String(word).slice(0, 256)) : []);

/** A command that a rule denied, or that a rule asks about where nobody could be asked. */
function refusedCommand({ ts, action, body, detail }: StoredRecord, denied: ReadonlySet<string | undefined>): readonly Refusal[] {
  if (body["verdict"] === "allow" || !denied.has(action)) return [];
  const { argv, rule, reason } = detail ?? {};
  return [{ at: ts, kind: "command", verdict: body["verdict"], argv: cut(argv), rule, reason }];
}

function refusedConnection({ ts, detail }: StoredRecord): readonly Refusal[] {
  const event = egressEventSchema().safeParse(detail).data;
  if (event === undefined || event.verdict === "allow") return [];
  const { reason, rule, host, port, process } = event;
  const change = reason === "default" && host !== "" ? { wouldAllow: `egress: [${draftRule(host, port ?? 443)}]` } : {};
  return [{ at: ts, kind: "connection", host, port, reason, rule, process, ...change }];
}

function refusedCalls({ ts, detail }: StoredRecord): readonly Refusal[] {
  const calls = z.array(z.record(z.string(), z.unknown())).safeParse(detail?.["calls"]).data ?? [];
  return calls.map((call) => ({ ...call, at: ts, kind: "call" }));
}

function refusalsOf(records: readonly StoredRecord[]): readonly Refusal[] {
  const ended = records.filter(({ type, body }) => type === "result.returned" && body["outcome"] === "denied");
  const denied = new Set(ended.map(({ action }) => action));
  return records.flatMap((record) => {
    if (record.type === "policy.decision") return refusedCommand(record, denied);
    if (record.type === "egress.decision") return refusedConnection(record);
    return record.type === "execution.refused-calls" ? refusedCalls(record) : [];
  });
}

/** The first ones, as many as an answer may hold. */
function fitting(refusals: readonly Refusal[], bounds: { readonly limit: number; readonly bytes: number }): readonly Refusal[] {
  let left = bounds.bytes;
  const end = refusals.findIndex((refusal, index) => {
    left -= Buffer.byteLength(JSON.stringify(refusal));
    return index >= bounds.limit || left < 0;
  });
  return end === -1 ? refusals : refusals.slice(0, end);
}

export const listRefusals: McpTool<z.output<ReturnType<typeof inputFor>>> = {
  name: "list_refusals",
  about: "mcp.tool.list-refusals",
  isReadOnly: true,
  input: inputFor,
  call: async ({ limit }, { sandbox, records, returnedBytes }) => {
    const found: Refusal[] = [];
    for (const task of sandbox.tasks) {
      if (found.length < limit) found.push(...refusalsOf(await records({ task, limit: mostRecords })));
    }
    const refusals = fitting(found, { limit, bytes: returnedBytes });
    return { document: { untrusted: true, refusals, isTruncated: refusals.length < found.length }, isError: false };
  },
};
