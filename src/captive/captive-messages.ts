// What the program of the captive network says over its channel. Node has parsed the JSON; the shape is checked here, and what a refused
// packet holds was chosen by somebody hostile.
import { isIP } from "node:net";
import * as z from "zod";
import type { RefusedAttempt } from "../contracts/egress.ts";
import { lazily } from "../kit/lazily.ts";

const port = lazily(() => z.int().min(0).max(65_535).optional());

const messageSchema = lazily(() =>
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("tcp"), networks: z.enum(["one", "two"]) }),
    z.strictObject({ kind: z.literal("names") }),
    z.strictObject({ kind: z.literal("settled") }),
    z.strictObject({
      kind: z.literal("refused"),
      protocol: z.int().min(0).max(255),
      address: z.string().refine((text) => isIP(text) !== 0),
      port: port(),
      sourcePort: port(),
    }),
  ]),
);

export type CaptiveMessage = z.infer<ReturnType<typeof messageSchema>>;

/** Undefined for what it never says. */
export function parseCaptiveMessage(value: unknown): CaptiveMessage | undefined {
  return messageSchema().safeParse(value).data;
}

/** As the kernel numbers them (RFC 5237); ICMP of both families. */
const protocols: ReadonlyMap<number, RefusedAttempt["protocol"]> = new Map([
  [1, "icmp"],
  [6, "tcp"],
  [17, "udp"],
  [58, "icmp"],
]);

export function protocolName(number: number): RefusedAttempt["protocol"] {
  return protocols.get(number) ?? "other";
}
