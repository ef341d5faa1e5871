// One rule about connections as a policy document writes it. What is not built yet is in the shape too; src/policy/supported.ts refuses it by name.
import * as z from "zod";
import { egressProtocolSchema } from "./egress-policy.ts";
import { madeOnce } from "./made-once.ts";
import { listOf, reasonSchema, ruleIdSchema, sizeSchema, verdictSchema } from "./policy-values.ts";

const word = () => z.string().min(1).max(253);
const port = () => z.int().min(1).max(65535);
const later = "Not built in this version: only the default is accepted.";
const unbuilt = "Not built in this version: the key is refused.";

const requestsOnly = "Only in a rule that allows, with `protocols: [http]`: within TLS nobody sees them.";

/** No segment that means another place, nothing that programs read in two ways. */
const pathSchema = () =>
  z
    .string()
    .max(500)
    .regex(/^(?!.*\/\.{1,2}(?:\/|$))\/(?:[\w.~!$&'()+,=:@-]+\/)*(?:[\w.~!$&'()+,=:@-]+|\*)?$/u)
    .meta({ title: "Path such as /v1/status or /v1/packages/*" });

export const weekDays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const windowSchema = () =>
  z.strictObject({
    hours: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/u)
      .meta({ title: "Hours such as 09:00-18:00" })
      .optional()
      .describe("By the clocks of `zone`; `22:00-06:00` goes over midnight, and counts to the day on which it begins."),
    days: z.array(z.enum(weekDays)).min(1).max(7).optional().describe("All unless given."),
    zone: word().optional().describe("A time zone such as `Europe/Berlin`; with `hours` or `days`."),
    from: z.iso.datetime().optional().describe("Not before this moment."),
    until: z.iso.datetime().optional().describe("Not from this moment on."),
  });

const requestKeys = () => ({
  methods: z
    .array(z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]))
    .min(1)
    .max(16)
    .optional()
    .describe(`Of requests. ${requestsOnly}`),
  paths: z
    .array(pathSchema())
    .min(1)
    .max(256)
    .optional()
    .describe(`Of requests: \`/v1/status\`; \`/v1/packages/*\` is everything below. What follows a \`?\` does not count. ${requestsOnly}`),
});

export const egressRuleSchema = madeOnce(() =>
  z.strictObject({
    id: ruleIdSchema().describe("Unique in the file; a stronger file replaces a rule by its id."),
    hosts: listOf(word())
      .optional()
      .describe("Names: `a.example.com`; `*.example.com` at any depth without the name itself, `**.example.com` with it."),
    cidr: listOf(word())
      .optional()
      .describe("Ranges of public addresses, for clients that ask for an address. A name is never allowed by them."),
    ports: z.array(port()).max(64).optional().describe("An allow without them: the usual ports of its protocols. Otherwise all."),
    protocols: z
      .array(egressProtocolSchema)
      .max(8)
      .optional()
      .describe(
        "`https`: TLS with the host's name in it. `http`: requests without TLS. `ws`: a WebSocket without TLS. `ssh`. `tcp`: anything, not looked into. An allow without them: https. Otherwise all.",
      ),
    ...requestKeys(),
    sni: z
      .enum(["required", "optional"])
      .optional()
      .describe("Of TLS. `optional` lets through a client that sends no server name; one that sends another name is always refused."),
    inspect: z.boolean().optional().describe(`Look into TLS. ${later}`),
    window: windowSchema().optional().describe("When the rule holds; at other times it is about nothing. Open connections end with it."),
    purpose: reasonSchema().optional().describe(unbuilt),
    tasks: listOf(word()).optional().describe(unbuilt),
    maxRequest: sizeSchema().optional().describe("Bytes that one connection may send."),
    maxResponse: sizeSchema().optional().describe("Bytes that one connection may receive."),
    mode: z
      .enum(["enforce", "observe"])
      .optional()
      .describe(
        "`observe`: what this rule would deny is let through, and recorded; without ports and protocols: https. Only with an `acceptRisk` for `egress.observe` beside it, in the system's and the user's own file. What is not public stays refused.",
      ),
    verdict: verdictSchema().describe(
      "The strictest of all matching rules decides; without one it is refused, or asked under `approval: regular`. `ask`: the connection waits for a person's answer.",
    ),
    reason: reasonSchema().optional().describe("Shown when the rule decides."),
  }),
);

export type EgressRule = z.infer<ReturnType<typeof egressRuleSchema>>;
