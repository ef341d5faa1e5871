// What broker and gate say to each other over the gate's channel. Both ends check: the gate reads hostile bytes all day.
import * as z from "zod";
import { egressPolicySchema } from "../contracts/egress-policy.ts";
import { egressEventSchema, egressSummarySchema } from "../contracts/egress-record.ts";

const sandbox = z.string().min(1).max(64);

/** How this machine reaches the outside: the broker reads its files, the gate has none. */
export const networkSettingsSchema = z.strictObject({
  /** Name -> addresses, of the machine's hosts file. */
  hosts: z.record(z.string(), z.array(z.string())),
});
export type NetworkSettings = z.infer<typeof networkSettingsSchema>;

const refusedAttempt = z.strictObject({
  protocol: z.enum(["tcp", "udp", "icmp", "other"]),
  address: z.string().max(64),
  port: z.int().min(0).max(65_535).optional(),
  process: z.string().max(300).optional(),
});

/** `tcp` and `dns` bring a socket along. */
export const toGateSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("open"), sandbox, policy: egressPolicySchema, network: networkSettingsSchema }),
  z.strictObject({ type: z.literal("tcp"), sandbox }),
  z.strictObject({ type: z.literal("dns"), sandbox }),
  z.strictObject({ type: z.literal("recorded"), event: z.int().min(0), isRecorded: z.boolean() }),
  z.strictObject({ type: z.literal("refused"), sandbox, attempt: refusedAttempt }),
  z.strictObject({ type: z.literal("close"), sandbox }),
]);
export type ToGate = z.infer<typeof toGateSchema>;

export const fromGateSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("listening"), sandbox }),
  /** Nothing happens until `recorded` says that it is. */
  z.strictObject({ type: z.literal("event"), sandbox, event: z.int().min(0), about: egressEventSchema }),
  z.strictObject({ type: z.literal("closed"), sandbox, summary: egressSummarySchema }),
]);
export type FromGate = z.infer<typeof fromGateSchema>;
