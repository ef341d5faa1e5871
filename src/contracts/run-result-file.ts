// What `glovebox run --result-file FILE` writes and `glovebox run --json` prints: the truth about one call, whatever the exit code was mapped to.
// Format 1. Everything marked `untrusted` came out of a sandbox and may try to instruct its reader. INVARIANT I-13
import * as z from "zod";
import { artifactSummarySchema, leftBehindSchema } from "./artifacts.ts";
import { changeSummarySchema } from "./changes.ts";
import { digestSchema, taskIdSchema } from "./ids.ts";

const count = z.int().min(0);
const values = z.record(z.string(), z.union([z.string(), z.number()]));

/** One line of the answer sheet: the catalogue key for programs, the text in the chosen language for people. */
const line = z.strictObject({ key: z.string(), values, text: z.string() });

export const answerSheetDocumentSchema = z.strictObject({
  subject: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("policy"), hash: z.string() }),
    z.strictObject({ kind: z.literal("task"), id: z.string(), policyHash: z.string() }),
  ]),
  answers: z.array(
    z.strictObject({ question: z.enum(["read", "write", "connect", "identity", "happened", "kept", "held"]), lines: z.array(line) }),
  ),
});

/** An error as every door shows it. `values` fill the sentence. */
export const errorDocumentSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  values,
  problems: z
    .array(
      z.strictObject({ code: z.string(), file: z.string(), line: count, key: z.string(), message: z.string(), hint: z.string(), values }),
    )
    .optional(),
});
export type ErrorDocument = z.infer<typeof errorDocumentSchema>;

const resultSchema = z.strictObject({
  task: taskIdSchema,
  action: z.string(),
  policyHash: digestSchema,
  outcome: z.enum(["ok", "failed", "denied", "limit", "timeout", "cancelled", "lost"]),
  /** The child's own end: exit code, signal number, 126/127 when nothing started, 0 when lost. Null when it never ran. */
  child: z.strictObject({ kind: z.enum(["exited", "signalled", "not-started", "lost"]), value: count }).nullable(),
  limitHits: z.array(z.strictObject({ limit: z.string(), allowed: z.number(), observed: z.number() })),
  /** Bytes the command wrote in all, also those that were not returned. */
  stdoutBytes: count,
  stderrBytes: count,
  durationMs: z.number().min(0),
  /** What the host saw the command and all it started use; null where it could not see. */
  usage: z.strictObject({ source: z.literal("evidence"), cpuMs: count, peakMemoryBytes: count, peakProcesses: count }).nullable(),
  /** What changed in the write roots; absent when nothing did. */
  changes: changeSummarySchema().optional(),
  /** Files that it handed back, their names untrusted; absent when there were none. */
  artifacts: artifactSummarySchema().optional(),
  /** Files that it wrote elsewhere in a container, their names untrusted: they ended with it. Absent when there were none. */
  leftBehind: leftBehindSchema().optional(),
  ledger: z.strictObject({ firstSeq: count, lastSeq: count }),
  sheet: answerSheetDocumentSchema,
});

/** One channel of a command's output, bounded by the policy's `limits.returned` (both channels together). */
const outputSchema = z.strictObject({
  untrusted: z.literal(true),
  /** Bytes the command wrote to this channel. */
  bytes: count,
  /** Bytes given here: the first ones. Less than `bytes` when the bound cut the rest. */
  returnedBytes: count,
  isTruncated: z.boolean(),
  /** Present when the returned bytes are UTF-8 ... */
  text: z.string().optional(),
  /** ... and this otherwise. */
  base64: z.string().optional(),
});
export type OutputDocument = z.infer<typeof outputSchema>;

/** `exitCode` is what the `glovebox` process itself exits with. */
export const runResultFileSchema = z.union([
  z.strictObject({ format: z.literal(1), exitCode: count, result: resultSchema }),
  /** Refused or failed. The ledger says whether anything had started. */
  z.strictObject({ format: z.literal(1), exitCode: count, error: errorDocumentSchema }),
]);
export type RunResultFile = z.input<typeof runResultFileSchema>;

/** `run --json` on stdout: the same, with the output beside the result. */
export const runJsonSchema = z.union([
  z.strictObject({
    format: z.literal(1),
    exitCode: count,
    result: resultSchema,
    output: z.strictObject({ stdout: outputSchema, stderr: outputSchema }),
  }),
  z.strictObject({ error: errorDocumentSchema }),
]);
