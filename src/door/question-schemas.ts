// A question to a person on its way through the door, and its answer. Both ends check; whoever shows it escapes it.
import * as z from "zod";
import { answerPlaces, type ApprovalQuestion } from "../contracts/approval.ts";
import { approvalIdSchema, digestSchema } from "../contracts/ids.ts";
import { egressProtocolSchema } from "../contracts/egress-policy.ts";
import { isWebhookPlace } from "../contracts/webhook-place.ts";
import { madeOnce } from "../contracts/made-once.ts";

const count = z.int().min(0);
const texts = madeOnce(() => z.array(z.string()));
const about = {
  id: approvalIdSchema,
  ruleId: z.string().optional(),
  reason: z.string(),
  policyHash: z.string(),
  lifetimeMs: count,
  tell: z.array(z.strictObject({ url: z.string().refine(isWebhookPlace), ca: z.string().startsWith("/").optional() })).max(64),
};

const commandSchema = madeOnce(() =>
  z.strictObject({
    ...about,
    kind: z.enum(["command", "unsandboxed", "narrow"]),
    argv: texts(),
    cwd: z.string(),
    files: z.array(
      z.strictObject({ role: z.enum(["program", "interpreter", "operand", "input"]), path: z.string(), digest: digestSchema }),
    ),
    filesInWriteRoots: texts(),
    environmentNames: texts(),
    notBound: z.array(z.strictObject({ what: z.enum(["live-input", "program", "operand", "input-files"]), name: z.string() })),
  }),
);

const connectionSchema = madeOnce(() =>
  z.strictObject({
    ...about,
    kind: z.literal("connection"),
    task: z.string(),
    host: z.string(),
    port: count,
    protocols: z.array(egressProtocolSchema),
    process: z.string().optional(),
  }),
);

/** JSON leaves out what is undefined. */
export const questionSchema = madeOnce(() =>
  z
    .discriminatedUnion("kind", [commandSchema(), connectionSchema()])
    .transform((found): ApprovalQuestion =>
      found.kind === "connection" ? { ...found, ruleId: found.ruleId, process: found.process } : { ...found, ruleId: found.ruleId },
    ),
);
export const answerSchema = madeOnce(() => z.enum(["granted", "refused"]));
export const givenAnswerSchema = madeOnce(() =>
  z.strictObject({ answer: answerSchema(), by: z.enum(answerPlaces), url: z.string().optional() }),
);

export const questionsSchema = madeOnce(() =>
  z.strictObject({
    revision: count,
    questions: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(["command", "unsandboxed", "narrow", "connection"]),
        about: texts(),
        askedAtMs: count,
        expiresAtMs: count,
      }),
    ),
  }),
);
