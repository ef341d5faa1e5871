// The compiled rules about connections, as policy makes them and the gate gets them: plain data that survives JSON.
import * as z from "zod";
import { madeOnce } from "./made-once.ts";
import { verdictSchema } from "./policy-values.ts";

/**
 * `https`: TLS whose server name is the asked name. `http`: requests without TLS, each judged. `ws`: such a request that becomes a WebSocket, in which
 * nobody looks. `ssh`: begins as SSH does. `tcp`: anything; nobody looks inside.
 */
export const egressProtocols = ["https", "http", "ws", "ssh", "tcp"] as const;
export type EgressProtocol = (typeof egressProtocols)[number];

export const egressProtocolSchema = z.enum(egressProtocols);
const portSchema = madeOnce(() => z.int().min(1).max(65_535));
const bytesSchema = madeOnce(() => z.int().min(1));

/** Canonical names of kit/host-name.ts. `below`: any depth under the name, not itself; `within`: itself too. */
const hostPatternSchema = madeOnce(() => z.strictObject({ match: z.enum(["exact", "below", "within"]), name: z.string() }));

const compiledRuleSchema = madeOnce(() =>
  z.strictObject({
    id: z.string(),
    verdict: verdictSchema(),
    hosts: z.array(hostPatternSchema()),
    /** Of kit/ip-address.ts. They match addresses asked for as such; those of a deny also what a name resolves to. */
    cidr: z.array(z.string()),
    /** Absent (only in deny and ask): every port, every protocol. */
    ports: z.array(portSchema()).optional(),
    protocols: z.array(egressProtocolSchema).optional(),
    /** `optional`: TLS without a server name is let through; one that differs never is. */
    sni: z.enum(["required", "optional"]),
    /** Bytes of one connection. */
    maxRequestBytes: bytesSchema().optional(),
    maxResponseBytes: bytesSchema().optional(),
    /** As its author wrote it: untrusted text. */
    reason: z.string().max(500).optional(),
  }),
);

export const egressPolicySchema = madeOnce(() =>
  z.strictObject({
    rules: z.array(compiledRuleSchema()),
    /** What becomes of a connection to a public place that no rule is about. */
    unruled: z.enum(["ask", "deny"]),
    /** Places that are not public, each opened by name: canonical name or address. */
    local: z.array(z.strictObject({ host: z.string(), port: portSchema() })),
    /** Sent out by the whole task. */
    sentBytes: bytesSchema(),
    /** Open at once. */
    connections: z.int().min(0),
  }),
);

export type HostPattern = z.infer<ReturnType<typeof hostPatternSchema>>;
export type CompiledEgressRule = z.infer<ReturnType<typeof compiledRuleSchema>>;
export type EgressPolicy = z.infer<ReturnType<typeof egressPolicySchema>>;

/** Where somebody wants to go. */
export interface EgressTarget {
  /** Canonical name or address. */
  readonly host: string;
  readonly port: number;
  readonly protocol: EgressProtocol;
}

export interface EgressDecision {
  readonly verdict: "allow" | "ask" | "deny";
  /** The rule that decided; undefined when none did. */
  readonly ruleId: string | undefined;
  /** Stable word. `default`: no rule is about it, and the policy says what then. `address`: an address that is not public, or that only a name would allow. `local-name`: a name for this machine or its surroundings. */
  readonly reasonCode: "rule" | "local" | "default" | "address" | "local-name";
  /** Of the rule that allows. */
  readonly sni: "required" | "optional";
  readonly maxRequestBytes: number | undefined;
  readonly maxResponseBytes: number | undefined;
}

/** Decides about a target; about an address that an allowed name turned out to have; and whether a name can be allowed at all. Pure. */
export interface EgressDecider {
  decide(target: EgressTarget): EgressDecision;
  /** @param target by name, allowed @param address what it resolved to */
  decideAddress(target: EgressTarget, address: string): EgressDecision;
  /** What is meant: for the machine's own name the loopback place that `allowLocal` opens at this port, where it opens one; else the host itself. */
  meantBy(host: string, port: number): string;
  /** Some port and protocol of this name is allowed, or would be asked about. */
  mayName(name: string): boolean;
}
