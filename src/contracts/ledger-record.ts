// The ledger's records, format 1 (frozen). A leaf holds ids, verdicts, enums, numbers and salted commitments only;
// whatever could name a person's things (argv, cwd, paths, hosts, output) lives in the task's encrypted blob.
import * as z from "zod";
import { answerPlaces } from "./approval.ts";
import { actionIdSchema, approvalIdSchema, digestSchema, sandboxIdSchema, taskIdSchema } from "./ids.ts";
import { changeCountsSchema } from "./changes.ts";
import { limitNames } from "./limits.ts";
import { madeOnce } from "./made-once.ts";
import { cacheNameSchema } from "./package-caches.ts";

const count = z.int().min(0);
/** Of a sandbox that outlives its commands; a limit's name: it was used up. */
export const sandboxEnds = ["closed", "killed", "idle", "expired", "broker", ...limitNames] as const;
/** HMAC-SHA256(task salt, bytes) in hex: equal only to somebody who holds the task's blob. */
export const commitmentSchema = z.string().regex(/^hmac:[0-9a-f]{64}$/u);
export type Commitment = z.infer<typeof commitmentSchema>;
const word = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:+/-]{0,127}$/u);

const usage = madeOnce(() => z.strictObject({ userMs: count, systemMs: count, maxRssBytes: count }));
const observed = madeOnce(() => z.strictObject({ cpuMs: count, peakMemoryBytes: count, peakProcesses: count }));
const limitHit = madeOnce(() => z.strictObject({ limit: word, allowed: count, observed: count }));
const stream = madeOnce(() =>
  z.strictObject({
    bytes: count,
    /** Of the whole stream as it came out, before redaction or cutting. */
    commitment: commitmentSchema,
  }),
);

/** `exited` and `signalled` are the guard's claim; `killed`, `lost` and the limit hits are what the host observed. */
const exit = madeOnce(() =>
  z.strictObject({
    kind: z.enum(["exited", "signalled", "not-started", "lost"]),
    /** Exit code, signal number, or 126/127; 0 for `lost`. */
    value: count,
    source: z.enum(["claim", "evidence"]),
  }),
);

/** layer.type -> body. */
export const recordBodySchemas = {
  "log.opened": madeOnce(() => z.strictObject({ format: z.literal(1), keyId: word, software: word })),
  "log.recovered": madeOnce(() => z.strictObject({ tornBytes: count, tornDigest: digestSchema })),
  "log.key-changed": madeOnce(() => z.strictObject({ keyId: word, previousKeyId: word })),
  /** The task's key and blobs are gone on purpose; its other records stay. */
  "log.erased": madeOnce(() => z.strictObject({ blobs: count })),
  "log.rotated": madeOnce(() => z.strictObject({ segment: count })),
  "policy.decision": madeOnce(() =>
    z.strictObject({
      /** `sandbox`: one that outlives its commands was opened; each of them is a decision of its own. */
      kind: z.enum(["command", "sandbox"]),
      verdict: z.enum(["allow", "ask", "deny"]),
      /** Commitment to the rule's id; absent when the default decided. */
      rule: commitmentSchema.optional(),
      reasonCode: z.enum(["rule", "default", "error", "closed", "mismatch"]),
      /** `outside`: none; see `execution.unsandboxed`. */
      boundary: z.enum(["process", "container", "microvm", "desktop", "wasi", "memory", "outside"]),
      request: commitmentSchema,
      /** Where the policy came from, strongest last. */
      origins: z.array(z.enum(["built-in", "system", "user", "project", "project-trusted", "flags"])),
    }),
  ),
  /** A person is about to be asked. On the device before the question is shown. What was shown is in the blob. */
  "approval.asked": madeOnce(() =>
    z.strictObject({
      approval: approvalIdSchema,
      kind: z.enum(["command", "unsandboxed", "narrow", "connection"]),
      /** Commitment to the digest of everything that the approval is bound to. */
      subject: commitmentSchema,
      boundFiles: count,
      /** Things shown as not bound. */
      notBound: count,
      lifetimeMs: count,
    }),
  ),
  /** How it ended. On the device before anything starts. */
  "approval.answered": madeOnce(() =>
    z.strictObject({
      approval: approvalIdSchema,
      answer: z.enum(["granted", "refused", "expired", "withdrawn"]),
      /** Where a person gave it; absent when nobody did. Which webhook is in the blob. */
      by: z.enum(answerPlaces).optional(),
    }),
  ),
  /** What a task is given to read was copied, before its sandbox is opened. Only when there is something. Names and digests are in the blob. */
  "execution.inputs": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      /** Of those that were named; and all files below them. */
      inputs: count,
      files: count,
      bytes: count,
      /** Over the canonical JSON of `detail.inputs`. */
      list: commitmentSchema,
    }),
  ),
  "execution.opened": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      layers: z.array(z.strictObject({ name: word, detail: word })),
      limits: z.array(z.strictObject({ limit: word, strength: z.enum(["held", "supervised"]), allowed: count })),
      hostUid: count,
      /** Package caches that it shares with other tasks of its project; absent: none. Which project's is in the blob. */
      caches: z.array(cacheNameSchema()).optional(),
      /** Id of the template that it starts from; absent: the host's own programs. Its name is in the blob. */
      template: digestSchema.optional(),
    }),
  ),
  /** In the place of `execution.opened`: a command starts outside any sandbox, and no wall holds it. On the device before it starts. */
  "execution.unsandboxed": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      approval: approvalIdSchema,
      kind: z.enum(["unsandboxed", "narrow"]),
      limits: z.array(z.strictObject({ limit: word, strength: z.literal("supervised"), allowed: count })),
      hostUid: count,
    }),
  ),
  "execution.refused": madeOnce(() => z.strictObject({ code: word })),
  "execution.ended": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      exit: exit(),
      limitHits: z.array(limitHit()),
      /** The guard's claim. */
      usage: usage().optional(),
      /** Of its whole sandbox until then, as the host saw it; absent where it cannot see it. */
      observed: observed().optional(),
      durationMs: count,
    }),
  ),
  /** What the mediator refused to the command: the guard's claim. Only when there was something. The calls are in the blob. */
  "execution.refused-calls": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      total: count,
      /** The first calls, by rule: their sum is at most 100, `total` may be more. */
      rules: z.array(z.strictObject({ rule: word, count })),
      /** Over the canonical JSON of `detail.calls`. */
      calls: commitmentSchema,
    }),
  ),
  /** One decision about a connection, before its effect; equal ones of a sandbox once. Host, port and process are in the blob. */
  "egress.decision": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      verdict: z.enum(["allow", "deny"]),
      reason: word,
      via: z.enum(["captured", "connect", "http", "socks", "dns", "kernel"]),
      /** Over the canonical JSON of the detail's `{host, port}`; a port that there is none of is null. */
      target: commitmentSchema,
      rule: commitmentSchema.optional(),
      /** Whose grant it rests on. */
      approval: approvalIdSchema.optional(),
    }),
  ),
  /** The rules about connections of a running sandbox were replaced by those of the policy that the envelope names. */
  "egress.replaced": madeOnce(() => z.strictObject({ sandbox: sandboxIdSchema, previous: digestSchema })),
  /** What a sandbox that could reach something did with it. The first connections and refusals are in the blob. */
  "execution.egress": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      /** The gate ended before it could say. */
      isLost: z.boolean(),
      connections: count,
      refusals: count,
      sentBytes: count,
      receivedBytes: count,
      /** Over the canonical JSON of the detail. */
      list: commitmentSchema,
    }),
  ),
  /** What changed in the write roots, as the host found it at close along the mediator's log. Only when something did. The list is kept outside. */
  "execution.changes": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema.optional(),
      counts: changeCountsSchema(),
      /** Bytes from before that are kept for `undo`, the list included. */
      keptBytes: count,
      keptUntil: word,
      /** Over the bytes of the list. */
      list: commitmentSchema,
    }),
  ),
  /** Files that a command handed back; only when it did, or when that could not be looked at. The list and the bytes are kept outside. */
  "execution.artifacts": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      artifacts: count,
      bytes: count,
      /** Directories, links, what was too large; and entries that are not in the list. */
      others: count,
      missed: count,
      isWhole: z.boolean(),
      keptUntil: word,
      /** How many files they lie in, and a digest over the SHA-256 of each, in order. */
      pieces: count,
      content: digestSchema,
      /** Over the bytes of the list. */
      list: commitmentSchema,
    }),
  ),
  /** Files that a command wrote elsewhere in a container, as its own program tells: they end with it. Only when there were some. The first are in the blob. */
  "execution.left-behind": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      files: count,
      /** False: there may be more. */
      isWhole: z.boolean(),
      /** Over the canonical JSON of `detail.files`. */
      list: commitmentSchema,
    }),
  ),
  /** Before it is read: whoever holds the sandbox's token wants what its commands left behind kept. `paths`: how many were named; 0 means all. */
  "execution.rescued": madeOnce(() => z.strictObject({ sandbox: sandboxIdSchema, paths: count })),
  /** A point in the life of an open sandbox to which its files can be put back. What differed then is kept outside, with its bytes. */
  "execution.checkpoint": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      /** From 1 on. */
      checkpoint: count,
      /** Paths that differed from before the task, and those that could not be listed. */
      changes: count,
      missed: count,
      keptBytes: count,
      keptUntil: word,
      /** Over the bytes of the list. */
      list: commitmentSchema,
    }),
  ),
  /** A person put files of the task back. */
  "changes.undone": madeOnce(() =>
    z.strictObject({
      restored: count,
      unchanged: count,
      refused: count,
      outcome: z.enum(["begun", "done", "failed"]),
      /** Over the canonical JSON of the detail's paths. */
      paths: commitmentSchema,
    }),
  ),
  /** What was denied and appeared while the sandbox was open: seen by the host. Only when there was something. The paths are in the blob. */
  "execution.late-masks": madeOnce(() =>
    z.strictObject({
      sandbox: sandboxIdSchema,
      total: count,
      /** From the kernel's notice to the mask, microseconds. */
      longestUs: count,
      /** How often notices were lost. */
      behind: count,
      /** The masker gave up or was lost, which ended the sandbox. */
      isBroken: z.boolean(),
      /** Over the canonical JSON of `detail.masks`. */
      masks: commitmentSchema,
    }),
  ),
  /** A template was built, from the machine's own repositories. On the device before it begins. */
  "template.built": madeOnce(() =>
    z.strictObject({
      name: word,
      outcome: z.enum(["begun", "done", "failed"]),
      /** The rest only of one that is done. */
      template: digestSchema.optional(),
      architecture: word.optional(),
      files: count.optional(),
      bytes: count.optional(),
      packages: count.optional(),
      /** Only of one that failed. */
      code: word.optional(),
    }),
  ),
  "template.removed": madeOnce(() => z.strictObject({ name: word })),
  "execution.closed": madeOnce(() => z.strictObject({ sandbox: sandboxIdSchema, reason: z.enum(sandboxEnds).optional() })),
  /** Before the first byte: the host reaches a port inside, because whoever holds the sandbox's token asked for it. */
  "execution.connected": madeOnce(() => z.strictObject({ sandbox: sandboxIdSchema, port: z.int().min(1).max(65_535) })),
  /** Before what its commands started is stopped, and before it goes on. */
  "execution.paused": madeOnce(() => z.strictObject({ sandbox: sandboxIdSchema })),
  "execution.resumed": madeOnce(() => z.strictObject({ sandbox: sandboxIdSchema })),
  /** Before somebody has a command ended with all that it started; what it had left running was still there. */
  "execution.stopped": madeOnce(() => z.strictObject({ sandbox: sandboxIdSchema })),
  "execution.reaped": madeOnce(() =>
    z.strictObject({ processes: count, directories: count, sockets: count, cgroups: count, mounts: count }),
  ),
  "result.returned": madeOnce(() =>
    z.strictObject({
      outcome: z.enum(["ok", "failed", "denied", "limit", "timeout", "cancelled", "refused", "lost"]),
      stdout: stream().optional(),
      stderr: stream().optional(),
      returnedBytes: count,
    }),
  ),
} as const;

export type RecordType = keyof typeof recordBodySchemas;
const recordTypes: ReadonlySet<string> = new Set(Object.keys(recordBodySchemas));
const recordTypeSchema = madeOnce(() => z.string().refine((word): word is RecordType => recordTypes.has(word)));
export type RecordBody<T extends RecordType> = z.infer<ReturnType<(typeof recordBodySchemas)[T]>>;

/** A pointer to an encrypted blob, addressed by its ciphertext. */
export const blobReferenceSchema = madeOnce(() => z.strictObject({ digest: digestSchema, bytes: count }));
export type BlobReference = z.infer<ReturnType<typeof blobReferenceSchema>>;

/** What every leaf holds around its body. */
export const envelopeSchema = madeOnce(() =>
  z.strictObject({
    v: z.literal(1),
    /** Identity of the log: random, made once. */
    log: z.string().regex(/^l-[0-9a-f]{32}$/u),
    /** 0, 1, 2, ... without a gap. */
    seq: count,
    /** Leaf hash of seq - 1 in hex; 64 zeros for the first. */
    prev: z.string().regex(/^[0-9a-f]{64}$/u),
    /** RFC 3339, UTC, milliseconds. */
    ts: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
    /** Monotonic nanoseconds of the writing machine, decimal; comparable within one `boot` only. */
    mono: z.string().regex(/^\d{1,20}$/u),
    boot: z.string().regex(/^[0-9a-f-]{1,64}$/u),
    type: recordTypeSchema(),
    task: taskIdSchema.optional(),
    action: actionIdSchema.optional(),
    policy: digestSchema.optional(),
    body: z.unknown(),
    blob: blobReferenceSchema().optional(),
  }),
);
export type Envelope = z.infer<ReturnType<typeof envelopeSchema>>;

/** What a caller hands to `append`: everything that the ledger does not fill in itself. */
export interface NewRecord<T extends RecordType = RecordType> {
  readonly type: T;
  readonly task?: z.infer<typeof taskIdSchema>;
  readonly action?: z.infer<typeof actionIdSchema>;
  readonly policy?: z.infer<typeof digestSchema>;
  readonly body: RecordBody<T>;
  /** Plain JSON for the task's encrypted blob; required to be absent for `log.*`. */
  readonly detail?: Readonly<Record<string, unknown>>;
}
