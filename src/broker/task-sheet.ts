// Rebuilds the view of a past task from its records, for `explain TASK`.
import * as z from "zod";
import type { AnswerSheet } from "../contracts/answer-sheet.ts";
import type { WallReport } from "../contracts/boundary.ts";
import type { ChangeSummary } from "../contracts/changes.ts";
import { egressSummarySchema, noTraffic } from "../contracts/egress-record.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import { givenInputSchema } from "../contracts/inputs.ts";
import { madeOnce } from "../contracts/made-once.ts";
import { limitNames } from "../contracts/limits.ts";
import { cacheNameSchema } from "../contracts/package-caches.ts";
import { presetNameSchema } from "../contracts/policy-document.ts";
import { type RecordType, recordBodySchemas } from "../contracts/ledger-record.ts";
import { taskAnswerSheet, type TaskView } from "./answer-sheet.ts";
import { lazily } from "../kit/lazily.ts";

const strings = lazily(() => z.array(z.string()));
const wallsSchema = lazily(() =>
  z.strictObject({
    layers: z.array(z.strictObject({ name: z.string(), detail: z.string() })),
    limits: z.array(
      z.strictObject({
        limit: z.enum(limitNames),
        mechanism: z.string(),
        strength: z.enum(["held", "supervised"]),
        overshoot: z.string().optional(),
      }),
    ),
    reads: strings(),
    private: strings().optional(),
    hidden: strings(),
    writes: strings(),
    connects: strings(),
    caches: z.strictObject({ id: z.string(), names: z.array(cacheNameSchema()) }).optional(),
    template: z.strictObject({ name: z.string(), id: z.string() }).optional(),
    identity: z.strictObject({ hostUid: z.int(), hostGid: z.int(), insideUid: z.int(), capabilities: strings() }),
  }),
);
const decisionSchema = lazily(() =>
  z.looseObject({
    argv: strings().optional(),
    argvDigest: z.string().optional(),
    /** Absent where a sandbox was opened. */
    cwd: z.string().optional(),
    retentionDays: z.int(),
    presets: z
      .array(
        z.looseObject({
          name: presetNameSchema(),
          sources: z.array(z.looseObject({ value: z.string(), what: z.string(), source: z.string() })),
        }),
      )
      .optional(),
  }),
);

/** @param schema the body's own schema: reading it again is what makes the type true */
function bodyOf<T>(records: readonly StoredRecord[], type: RecordType, schema: z.ZodType<T>): T | undefined {
  const record = records.find((candidate) => candidate.type === type);
  return record === undefined ? undefined : schema.parse(record.body);
}

function detailOf(records: readonly StoredRecord[], type: RecordType): Readonly<Record<string, unknown>> | undefined {
  return records.find((candidate) => candidate.type === type)?.detail;
}

function wallsOf(records: readonly StoredRecord[]): WallReport | undefined {
  const parsed = wallsSchema().safeParse((detailOf(records, "execution.opened") ?? detailOf(records, "execution.unsandboxed"))?.["walls"]);
  return parsed.success ? parsed.data : undefined;
}

function approvalsOf(records: readonly StoredRecord[]): TaskView["approvals"] {
  const answers = new Map(
    records
      .filter(({ type }) => type === "approval.answered")
      .map(({ body }) => recordBodySchemas["approval.answered"]().parse(body))
      .map(({ approval, answer }) => [approval, answer]),
  );
  const asked = records
    .filter(({ type }) => type === "approval.asked")
    .map(({ body }) => recordBodySchemas["approval.asked"]().parse(body));
  return asked.map(({ approval }) => ({ id: approval, answer: answers.get(approval) ?? "open" }));
}

const changesSchema = lazily(() =>
  z.looseObject({
    quarantined: z.array(z.string()).optional(),
    first: z.array(z.looseObject({ path: z.string(), runsLater: z.boolean().optional() })),
  }),
);

function changesOf(records: readonly StoredRecord[]): { readonly changes?: ChangeSummary } {
  const body = bodyOf(records, "execution.changes", recordBodySchemas["execution.changes"]());
  if (body === undefined) return {};
  const detail = changesSchema().safeParse(detailOf(records, "execution.changes"));
  const runsLater = (detail.data?.first ?? []).filter((change) => change.runsLater === true).map(({ path }) => path);
  return { changes: { counts: body.counts, runsLater, quarantined: detail.data?.quarantined ?? [], keptUntil: body.keptUntil } };
}

/** Each command of a sandbox may have one. */
function artifactsOf(records: readonly StoredRecord[]): TaskView["artifacts"] {
  const schema = recordBodySchemas["execution.artifacts"]();
  const bodies = records.filter(({ type }) => type === "execution.artifacts").map(({ body }) => schema.parse(body));
  const last = bodies.at(-1);
  if (last === undefined) return undefined;
  const sum = (of: (body: (typeof bodies)[number]) => number): number => bodies.reduce((total, body) => total + of(body), 0);
  return {
    count: sum(({ artifacts }) => artifacts),
    bytes: sum(({ bytes }) => bytes),
    others: sum(({ others, missed }) => others + missed),
    isWhole: bodies.every(({ isWhole }) => isWhole),
    keptUntil: last.keptUntil,
  };
}

const leftSchema = lazily(() => z.looseObject({ files: z.array(z.looseObject({ path: z.string(), bytes: z.number() })) }));

/** Of all commands: a file that several wrote is one, where the records name it. */
function leftBehindOf(records: readonly StoredRecord[]): TaskView["leftBehind"] {
  const schema = recordBodySchemas["execution.left-behind"]();
  const found = records.filter(({ type }) => type === "execution.left-behind");
  if (found.length === 0) return undefined;
  const bodies = found.map(({ body }) => schema.parse(body));
  const named = found.flatMap(({ detail }) => leftSchema().safeParse(detail).data?.files ?? []);
  const files = new Map(named.map((file) => [file.path, file]));
  const total = bodies.reduce((sum, body) => sum + body.files, 0);
  return { count: files.size + total - named.length, isWhole: bodies.every(({ isWhole }) => isWhole), first: [...files.values()] };
}

const inputsSchema = lazily(() => z.looseObject({ inputs: z.array(givenInputSchema()) }));

function inputsOf(records: readonly StoredRecord[]): TaskView["inputs"] {
  return inputsSchema().safeParse(detailOf(records, "execution.inputs")).data?.inputs ?? [];
}

function endingOf(records: readonly StoredRecord[]): TaskView["ending"] {
  const ended = bodyOf(records, "execution.ended", recordBodySchemas["execution.ended"]());
  const result = bodyOf(records, "result.returned", recordBodySchemas["result.returned"]());
  if (ended === undefined || result === undefined || result.outcome === "denied" || result.outcome === "refused") return undefined;
  return {
    outcome: result.outcome,
    child: { kind: ended.exit.kind, value: ended.exit.value },
    limitHits: ended.limitHits.map((hit) => ({
      limit: z.enum(limitNames).parse(hit.limit),
      allowed: hit.allowed,
      observed: hit.observed,
    })),
    stdoutBytes: result.stdout?.bytes ?? 0,
    stderrBytes: result.stderr?.bytes ?? 0,
    durationMs: ended.durationMs,
    usage: ended.observed,
    ...changesOf(records),
  };
}

const refusedSchema = lazily(() =>
  z.looseObject({
    calls: z.array(
      z.strictObject({
        call: z.enum(["open", "mkdir", "mknod", "rename", "link", "symlink", "truncate", "bind", "connect", "attributes", "remove"]),
        errno: z.string(),
        rule: z.enum([
          "listedName",
          "gitConfig",
          "gitHook",
          "gitPointer",
          "gitPointerUnwritten",
          "gitStructure",
          "device",
          "folding",
          "listedPath",
          "hostSocket",
          "crowded",
          "deniedRead",
          "outside",
          "noNetwork",
        ]),
        path: z.string(),
      }),
    ),
  }),
);

/** Each command of a sandbox has its own. */
function refusedCallsOf(records: readonly StoredRecord[]): TaskView["refusedCalls"] {
  const found = records.filter(({ type }) => type === "execution.refused-calls");
  const totals = found.map(({ body }) => recordBodySchemas["execution.refused-calls"]().parse(body).total);
  const first = found.flatMap(({ detail }) => refusedSchema().safeParse(detail).data?.calls ?? []);
  return { total: totals.reduce((sum, total) => sum + total, 0), first };
}

const lateSchema = lazily(() =>
  z.looseObject({
    masks: z.array(z.strictObject({ path: z.string(), rule: z.string(), windowUs: z.int() })),
    trouble: z.strictObject({ key: z.string(), values: z.record(z.string(), z.union([z.string(), z.number()])).optional() }).nullable(),
  }),
);

function lateMasksOf(records: readonly StoredRecord[]): TaskView["lateMasks"] {
  const body = bodyOf(records, "execution.late-masks", recordBodySchemas["execution.late-masks"]());
  const detail = lateSchema().safeParse(detailOf(records, "execution.late-masks")).data;
  const { key, values = {} } = detail?.trouble ?? {};
  return {
    total: body?.total ?? 0,
    longestUs: body?.longestUs ?? 0,
    behind: body?.behind ?? 0,
    trouble: key === undefined ? undefined : { key, values },
    first: detail?.masks ?? [],
  };
}

const trafficSchema = madeOnce(() => egressSummarySchema().pick({ connections: true, refusals: true }));

function trafficOf(records: readonly StoredRecord[]): TaskView["traffic"] {
  const body = bodyOf(records, "execution.egress", recordBodySchemas["execution.egress"]());
  if (body === undefined) return undefined;
  if (body.isLost) return "lost";
  const lists = trafficSchema().safeParse(detailOf(records, "execution.egress")).data ?? noTraffic;
  const { connections: totalConnections, refusals: totalRefusals, sentBytes, receivedBytes } = body;
  return { connections: lists.connections, refusals: lists.refusals, totalConnections, totalRefusals, sentBytes, receivedBytes };
}

const decisionKindSchema = lazily(() => z.looseObject({ kind: z.string() }));
const isOf = (kind: string, { type, body }: StoredRecord): boolean =>
  type === "policy.decision" && decisionKindSchema().safeParse(body).data?.kind === kind;
const commandDetailSchema = lazily(() => z.looseObject({ argv: strings().optional(), argvDigest: z.string().optional() }));

/** Undefined for a task that is one command. */
function commandsOf(records: readonly StoredRecord[]): TaskView["commands"] {
  if (!records.some((record) => isOf("sandbox", record))) return undefined;
  const results = new Map(
    records.flatMap(({ type, action, body }) =>
      type === "result.returned" ? [[action, recordBodySchemas["result.returned"]().parse(body).outcome] as const] : [],
    ),
  );
  return records
    .filter((record) => isOf("command", record))
    .map(({ action, detail }) => {
      const { argv, argvDigest = "unknown" } = commandDetailSchema().safeParse(detail).data ?? {};
      return { argv: argv ?? [argvDigest], outcome: results.get(action) ?? "open" };
    });
}

function requestOf(asked: z.infer<ReturnType<typeof decisionSchema>> | undefined): TaskView["request"] {
  const { argv, argvDigest = "unknown", cwd } = asked ?? {};
  return cwd === undefined ? undefined : { argv: argv ?? [argvDigest], cwd };
}

function addDays(iso: string, days: number): string {
  return new Date(Date.parse(iso) + days * 86_400_000).toISOString().slice(0, 10);
}

/**
 * @param records the task's records in order of seq
 * @throws TASK_UNKNOWN when there are none
 */
export function taskSheetFromRecords(task: string, records: readonly StoredRecord[]): AnswerSheet {
  const first = records[0];
  const last = records.at(-1);
  if (first === undefined || last === undefined) throw new GloveboxError("TASK_UNKNOWN", "run.task-unknown", { values: { task } });
  const asked = decisionSchema().safeParse(detailOf(records, "policy.decision")).data;
  const commands = commandsOf(records);
  return taskAnswerSheet({
    task,
    policyHash: first.policy ?? "unknown",
    verdict: bodyOf(records, "policy.decision", recordBodySchemas["policy.decision"]())?.verdict ?? "unknown",
    request: requestOf(asked),
    ...(commands === undefined ? {} : { commands, ...changesOf(records) }),
    approvals: approvalsOf(records),
    walls: wallsOf(records),
    inputs: inputsOf(records),
    presets: asked?.presets ?? [],
    isUnsandboxed: records.some((record) => record.type === "execution.unsandboxed"),
    refusal: bodyOf(records, "execution.refused", recordBodySchemas["execution.refused"]())?.code,
    // Each command of a sandbox has one.
    ending: commands === undefined ? endingOf(records) : undefined,
    artifacts: artifactsOf(records),
    leftBehind: leftBehindOf(records),
    refusedCalls: refusedCallsOf(records),
    lateMasks: lateMasksOf(records),
    traffic: trafficOf(records),
    wasReaped: records.some((record) => record.type === "execution.reaped"),
    firstSeq: first.seq,
    lastSeq: last.seq,
    keptUntil: asked === undefined ? undefined : addDays(last.ts, asked.retentionDays),
  });
}
