// What is recorded of one sandbox's connections: each decision before its effect, and everything that came of them at close.
import * as z from "zod";
import { egressProtocolSchema, egressProtocols } from "./egress-policy.ts";
import { madeOnce } from "./made-once.ts";

const count = madeOnce(() => z.int().min(0));
/** Chosen by somebody hostile; bounded where it is made. */
const text = madeOnce(() => z.string().max(300));
const word = madeOnce(() => z.string().regex(/^[a-z][a-z0-9-]{0,39}$/u));

export const egressVias = ["captured", "connect", "http", "socks", "dns", "kernel"] as const;

/** Asked for the first time in this sandbox: again the same, it is counted only. */
export const egressEventSchema = madeOnce(() =>
  z.strictObject({
    verdict: z.enum(["allow", "deny"]),
    /** Why: of src/egress/reason.ts. */
    reason: word(),
    rule: z.string().max(64).optional(),
    /** Of a rule that holds at other times: the next one. */
    opensAt: z.iso.datetime().optional(),
    host: text(),
    port: z.int().min(0).max(65_535).optional(),
    via: z.enum(egressVias),
    protocols: z.array(word()).max(8),
    process: text().optional(),
  }),
);
export type EgressEvent = z.infer<ReturnType<typeof egressEventSchema>>;

export const egressConnectionSchema = madeOnce(() =>
  z.strictObject({
    host: text(),
    port: z.int().min(0).max(65_535),
    via: z.enum(egressVias),
    /** What was spoken; absent when it did not come to that. */
    protocol: word().optional(),
    rule: z.string().max(64).optional(),
    /** The rule would have denied it, and only looked. */
    isObserved: z.literal(true).optional(),
    /** Dialled; `proxy`: the company's proxy. */
    address: text().optional(),
    /** Only that proxy knew the name: its addresses were not judged here. */
    isUnresolved: z.literal(true).optional(),
    /** Long, and as much one way as the other, where nobody looks in: as a tunnel would be. */
    looksLikeTunnel: z.literal(true).optional(),
    /** `tls`: the server name was the allowed one, and what is inside was not seen (`host_unverified`). `http`: every request named the allowed host. */
    checked: z.enum(["tls", "http", "none"]),
    end: word(),
    sentBytes: count(),
    receivedBytes: count(),
    durationMs: count(),
  }),
);
export type EgressConnection = z.infer<ReturnType<typeof egressConnectionSchema>>;

export const egressRefusalSchema = madeOnce(() => egressEventSchema().omit({ verdict: true, protocols: true }).extend({ count: count() }));
export type EgressRefusal = z.infer<ReturnType<typeof egressRefusalSchema>>;

/** A place that a person is to be asked about, on behalf of a connection that waits. */
export const egressQuestionSchema = madeOnce(() =>
  z.strictObject({
    host: text(),
    port: z.int().min(0).max(65_535),
    /** What may be spoken there when it is granted. */
    protocols: z.array(egressProtocolSchema).min(1).max(egressProtocols.length),
    via: z.enum(egressVias),
    /** The rule that asks; absent when the policy's default does. */
    rule: z.string().max(64).optional(),
  }),
);
export type EgressQuestion = z.infer<ReturnType<typeof egressQuestionSchema>>;

/** `nobody`: there is nobody to ask; `too-many`: as many questions are open, or were asked, as may be. */
export const egressAnswers = ["granted", "refused", "unanswered", "nobody", "too-many"] as const;
export type EgressAnswer = (typeof egressAnswers)[number];

/** Of one sandbox, when it closes. Lists hold the first; totals count all. */
export const egressSummarySchema = madeOnce(() =>
  z.strictObject({
    connections: z.array(egressConnectionSchema()).max(1000),
    totalConnections: count(),
    refusals: z.array(egressRefusalSchema()).max(200),
    totalRefusals: count(),
    sentBytes: count(),
    receivedBytes: count(),
  }),
);
export type EgressSummary = z.infer<ReturnType<typeof egressSummarySchema>>;

export const noTraffic: EgressSummary = {
  connections: [],
  totalConnections: 0,
  refusals: [],
  totalRefusals: 0,
  sentBytes: 0,
  receivedBytes: 0,
};

/** How an allowed connection ends that came to nobody. */
export const unreachedEnds: ReadonlySet<string> = new Set(["unresolvable", "unreachable", "proxy"]);
