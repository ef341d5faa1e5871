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

const minuteSchema = madeOnce(() => z.int().min(0).max(1439));

/** When a rule holds; without `daily` on every day at every hour. */
const ruleWindowSchema = madeOnce(() =>
  z.strictObject({
    /** By the clocks of a time zone. */
    daily: z
      .strictObject({
        zone: z.string(),
        /** Monday is 0. */
        days: z.array(z.int().min(0).max(6)),
        /** Of the day; when it ends before it begins it goes over midnight, and counts to the day on which it begins. */
        fromMinute: minuteSchema(),
        untilMinute: minuteSchema(),
      })
      .optional(),
    /** Moments; the last is outside. */
    fromMs: z.int().optional(),
    untilMs: z.int().optional(),
  }),
);

/** Of plain requests; what is absent may be anything. */
const requestsSchema = madeOnce(() =>
  z.strictObject({
    methods: z.array(z.string()).optional(),
    /** `below`: begins with it. */
    paths: z.array(z.strictObject({ match: z.enum(["exact", "below"]), path: z.string() })).optional(),
  }),
);

const compiledRuleSchema = madeOnce(() =>
  z.strictObject({
    id: z.string(),
    /** `observe`: it would deny, and lets through what it would deny. */
    verdict: z.enum([...verdictSchema().options, "observe"]),
    /** From then on an `observe` denies. */
    observedUntilMs: z.int().optional(),
    /** Outside of it the rule is about nothing. */
    window: ruleWindowSchema().optional(),
    hosts: z.array(hostPatternSchema()),
    /** Of kit/ip-address.ts. They match addresses asked for as such; those of a deny also what a name resolves to. */
    cidr: z.array(z.string()),
    /** Absent (only in deny and ask): every port, every protocol. */
    ports: z.array(portSchema()).optional(),
    protocols: z.array(egressProtocolSchema).optional(),
    /** Only in an allow whose one protocol is `http`. */
    requests: requestsSchema().optional(),
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
export type RuleWindow = z.infer<ReturnType<typeof ruleWindowSchema>>;
export type RequestRules = z.infer<ReturnType<typeof requestsSchema>>;
export type CompiledEgressRule = z.infer<ReturnType<typeof compiledRuleSchema>>;
export type EgressPolicy = z.infer<ReturnType<typeof egressPolicySchema>>;

/** What the rules say at one moment, in milliseconds since 1970; `whenever`: as if each held always. */
export type RulesAt = (policy: EgressPolicy, moment: number | "whenever") => EgressDecider;

/** A request without TLS. Undefined: two programs could read it in two ways, and no rule that names one admits it. */
export interface PlainRequest {
  readonly method: string | undefined;
  /** Without what follows a `?`. */
  readonly path: string | undefined;
}

/** Where somebody wants to go. */
export interface EgressTarget {
  /** Canonical name or address. */
  readonly host: string;
  readonly port: number;
  readonly protocol: EgressProtocol;
  /** Of `http`, once it is known; before, a place is allowed where some request is. */
  readonly request?: PlainRequest | undefined;
}

export interface EgressDecision {
  readonly verdict: "allow" | "ask" | "deny";
  /** The rule that decided; undefined when none did. */
  readonly ruleId: string | undefined;
  /**
   * Stable word. `observed`: the rule would deny it, and only looks. `default`: no rule is about it, and the policy says what then. `window`: only a rule is
   * that holds at other times. `address`: an address that is not public, or that only a name would allow. `local-name`: a name for this machine or its surroundings.
   */
  readonly reasonCode: "rule" | "observed" | "local" | "default" | "window" | "address" | "local-name";
  /** Of `window`: when the rule holds again; undefined: never. */
  readonly opensAtMs: number | undefined;
  /** Of the rule that allows. */
  readonly sni: "required" | "optional";
  readonly maxRequestBytes: number | undefined;
  readonly maxResponseBytes: number | undefined;
}

/** Decides about a target; about an address that an allowed name turned out to have; and whether a name can be allowed at all. Pure. */
export interface EgressDecider {
  /** From then on the same rules may answer otherwise. */
  readonly changesAtMs: number | undefined;
  decide(target: EgressTarget): EgressDecision;
  /** @param target by name, allowed @param address what it resolved to */
  decideAddress(target: EgressTarget, address: string): EgressDecision;
  /** What is meant: for the machine's own name the loopback place that `allowLocal` opens at this port, where it opens one; else the host itself. */
  meantBy(host: string, port: number): string;
  /** Some port and protocol of this name is allowed, or would be asked about. */
  mayName(name: string): boolean;
}
