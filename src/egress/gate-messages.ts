// What broker and gate say to each other over the gate's channel. Both ends check: the gate reads hostile bytes all day.
import * as z from "zod";
import { egressPolicySchema } from "../contracts/egress-policy.ts";
import { egressAnswers, egressEventSchema, egressQuestionSchema, egressSummarySchema } from "../contracts/egress-record.ts";
import { madeOnce } from "../contracts/made-once.ts";

const sandboxSchema = madeOnce(() => z.string().min(1).max(64));

/** A company's proxy. */
const upstreamSettingsSchema = madeOnce(() =>
  z.strictObject({
    kind: z.enum(["http", "https", "socks5"]),
    host: z.string().min(1).max(253),
    port: z.int().min(1).max(65_535),
    user: z.string().max(255).optional(),
    password: z.string().max(255).optional(),
    noProxy: z.array(z.string().max(253)).max(1000),
    /** PEM, beside those that everybody trusts. */
    authorities: z.string().optional(),
  }),
);
export type UpstreamSettings = z.infer<ReturnType<typeof upstreamSettingsSchema>>;

/** How this machine reaches the outside: the broker reads its files, the gate has none. */
export const networkSettingsSchema = madeOnce(() =>
  z.strictObject({
    /** Name -> addresses, of the machine's hosts file. */
    hosts: z.record(z.string(), z.array(z.string())),
    upstream: upstreamSettingsSchema().optional(),
  }),
);
export type NetworkSettings = z.infer<ReturnType<typeof networkSettingsSchema>>;

const refusedAttemptSchema = madeOnce(() =>
  z.strictObject({
    protocol: z.enum(["tcp", "udp", "icmp", "other"]),
    address: z.string().max(64),
    port: z.int().min(0).max(65_535).optional(),
    process: z.string().max(300).optional(),
  }),
);

/** `tcp` and `dns` bring a socket along. */
export const toGateSchema = madeOnce(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("open"), sandbox: sandboxSchema(), policy: egressPolicySchema(), network: networkSettingsSchema() }),
    z.strictObject({ type: z.literal("tcp"), sandbox: sandboxSchema() }),
    z.strictObject({ type: z.literal("dns"), sandbox: sandboxSchema() }),
    z.strictObject({ type: z.literal("recorded"), event: z.int().min(0), isRecorded: z.boolean() }),
    z.strictObject({ type: z.literal("answered"), question: z.int().min(0), answer: z.enum(egressAnswers) }),
    /** Rules in the place of those it had: what they do not allow any more ends at once. */
    z.strictObject({ type: z.literal("reload"), sandbox: sandboxSchema(), policy: egressPolicySchema() }),
    z.strictObject({ type: z.literal("refused"), sandbox: sandboxSchema(), attempt: refusedAttemptSchema() }),
    z.strictObject({ type: z.literal("close"), sandbox: sandboxSchema() }),
  ]),
);
export type ToGate = z.infer<ReturnType<typeof toGateSchema>>;

export const fromGateSchema = madeOnce(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("listening"), sandbox: sandboxSchema() }),
    /** Nothing happens until `recorded` says that it is. */
    z.strictObject({
      type: z.literal("event"),
      sandbox: sandboxSchema(),
      event: z.int().min(0),
      about: egressEventSchema(),
      clientPort: z.int().min(0).max(65_535).optional(),
    }),
    /** A connection waits until `answered` says what a person said. */
    z.strictObject({
      type: z.literal("ask"),
      sandbox: sandboxSchema(),
      question: z.int().min(0),
      about: egressQuestionSchema(),
      clientPort: z.int().min(0).max(65_535).optional(),
    }),
    z.strictObject({ type: z.literal("reloaded"), sandbox: sandboxSchema(), ended: z.int().min(0) }),
    z.strictObject({ type: z.literal("closed"), sandbox: sandboxSchema(), summary: egressSummarySchema() }),
  ]),
);
export type FromGate = z.infer<ReturnType<typeof fromGateSchema>>;
