// What a client asks for in JSON, and the answers; everything that is not worth a fixed layout. Both ends check.
import * as z from "zod";
import { artifactSummarySchema, leftBehindSchema, leftInSandboxSchema } from "../contracts/artifacts.ts";
import { changeSummarySchema } from "../contracts/changes.ts";
import { sandboxIdSchema, taskIdSchema } from "../contracts/ids.ts";
import { limitNames } from "../contracts/limits.ts";
import { madeOnce } from "../contracts/made-once.ts";
import { answerSchema, questionSchema } from "./question-schemas.ts";

const count = z.int().min(0);
const secret = z.string().regex(/^[0-9a-f]{64}$/u);
const id = z.string().max(32);
const values = madeOnce(() => z.record(z.string(), z.union([z.string(), z.number()])));
const variables = madeOnce(() => z.record(z.string(), z.string()));
const sentence = madeOnce(() => z.strictObject({ key: z.string(), values: values().default({}) }));
const ledger = madeOnce(() => z.strictObject({ firstSeq: count, lastSeq: count }));

const access = { sandbox: id, token: secret };
const opening = madeOnce(() =>
  z.strictObject({
    policy: z.strictObject({
      projectDirectory: z.string(),
      policyFile: z.string().optional(),
      document: z.strictObject({ label: z.string(), text: z.string() }).optional(),
      overrides: z.record(z.string(), z.unknown()).optional(),
    }),
    callerEnvironment: variables(),
    inputs: z.array(z.string()).readonly().optional(),
    idleMs: count.optional(),
    hardMs: count.optional(),
    endsWithCaller: z.literal(true).optional(),
  }),
);

export const askSchema = madeOnce(() =>
  z.discriminatedUnion("ask", [
    z.strictObject({ ask: z.literal("open"), key: secret, opening: opening() }),
    z.strictObject({ ask: z.literal("attach"), ...access, action: id }),
    z.strictObject({ ask: z.literal("logs"), ...access, action: id.optional() }),
    z.strictObject({ ask: z.literal("connect"), ...access, port: z.int().min(1).max(65_535) }),
    z.strictObject({ ask: z.literal("end-command"), ...access, action: id }),
    z.strictObject({ ask: z.literal("checkpoint"), ...access }),
    z.strictObject({ ask: z.literal("untilEnded"), ...access }),
    z.strictObject({ ask: z.literal("close"), ...access }),
    z.strictObject({ ask: z.literal("kill"), ...access }),
    z.strictObject({ ask: z.literal("stats"), ...access }),
    z.strictObject({ ask: z.literal("rescue"), ...access, paths: z.array(z.string().max(4096)).max(256) }),
    z.strictObject({ ask: z.literal("pause"), ...access }),
    z.strictObject({ ask: z.literal("resume"), ...access }),
    z.strictObject({ ask: z.literal("list"), key: secret }),
    z.strictObject({ ask: z.literal("prune"), key: secret, isDry: z.boolean() }),
    z.strictObject({ ask: z.literal("reload"), key: secret, sandbox: id }),
    z.strictObject({ ask: z.literal("ended"), key: secret, sandbox: id }),
    z.strictObject({ ask: z.literal("stop"), key: secret }),
    z.strictObject({ ask: z.literal("put"), key: secret, question: questionSchema() }),
    z.strictObject({ ask: z.literal("questions"), key: secret, after: count.optional() }),
    z.strictObject({ ask: z.literal("question"), key: secret, approval: id }),
    z.strictObject({ ask: z.literal("answer"), key: secret, approval: id, answer: answerSchema() }),
  ]),
);
export type Ask = z.infer<ReturnType<typeof askSchema>>;

export const openedSchema = madeOnce(() =>
  z.strictObject({
    sandbox: sandboxIdSchema,
    task: taskIdSchema,
    token: secret,
    policyHash: z.string(),
    idleMs: count,
    expiresAtMs: count,
    presetNotes: z.array(sentence()),
  }),
);

const state = z.enum(["running", "left-running", "ended"]);
const commandLine = madeOnce(() =>
  z.strictObject({
    action: id,
    argv: z.array(z.string()),
    startedAtMs: count,
    state,
    outcome: z.enum(["ok", "failed", "denied", "limit", "timeout", "cancelled", "lost"]).optional(),
    exitCode: count.optional(),
  }),
);

export const listSchema = madeOnce(() =>
  z.array(
    z.strictObject({
      sandbox: id,
      task: id,
      projectDirectory: z.string(),
      policyHash: z.string(),
      openedAtMs: count,
      idleUntilMs: count,
      expiresAtMs: count,
      isPaused: z.boolean(),
      leftBehind: leftInSandboxSchema().optional(),
      commands: z.array(commandLine()),
    }),
  ),
);

export const prunedSchema = madeOnce(() => z.array(z.strictObject({ sandbox: id, task: id, reason: z.enum(["expired", "idle"]) })));

export const statsSchema = madeOnce(() =>
  z.strictObject({
    sandbox: id,
    task: id,
    isPaused: z.boolean(),
    openCommands: count,
    processes: count,
    cpuMs: count.optional(),
    memoryBytes: count.optional(),
    peakMemoryBytes: count.optional(),
    privateBytes: count.optional(),
  }),
);

export const rescuedSchema = madeOnce(() =>
  z.strictObject({ task: id, action: id, artifacts: artifactSummarySchema().optional(), missing: z.array(z.string()) }),
);

export const logsSchema = madeOnce(() => z.array(z.strictObject({ action: id, state, base64: z.string(), droppedBytes: count })));

export const checkpointSchema = madeOnce(() =>
  z.strictObject({ task: id, checkpoint: count, changes: count, missed: count, keptBytes: count, keptUntil: z.string() }),
);

export const endSchema = madeOnce(() =>
  z.strictObject({
    sandbox: id,
    task: id,
    changes: changeSummarySchema().optional(),
    refusedConnections: z.array(sentence()),
    ledger: ledger(),
  }),
);

export const reloadedSchema = madeOnce(() =>
  z.strictObject({ sandbox: id, policyHash: z.string(), endedConnections: count, isPartial: z.boolean() }),
);

/** Beside RESULT. */
export const resultDetailSchema = madeOnce(() =>
  z.strictObject({
    task: id,
    limitHits: z.array(z.strictObject({ limit: z.enum(limitNames), allowed: z.number(), observed: z.number() })),
    notes: z.array(sentence()),
    leftBehind: leftBehindSchema().optional(),
  }),
);

/** Beside REFUSED. */
export const errorSchema = madeOnce(() =>
  z.strictObject({
    code: z.string(),
    situation: z.string(),
    values: values(),
    problems: z
      .array(
        z.strictObject({
          code: z.string(),
          situation: z.string(),
          values: values(),
          label: z.string(),
          line: count,
          key: z.string(),
        }),
      )
      .optional(),
  }),
);
