// Branded identifiers: each is made only by its own maker or parser, so a string from outside can never pass for one.
import * as z from "zod";

const pattern = (prefix: string): RegExp => new RegExp(`^${prefix}-[0-9a-f]{12}-[0-9a-f]{12}$`, "u");

/** `t-` + 12 hex digits of the creation time in ms + 12 random hex digits; sorts by creation. */
export const taskIdSchema = z.string().regex(pattern("t")).brand<"TaskId">();
export type TaskId = z.infer<typeof taskIdSchema>;

/** Same shape with `a-`. */
export const actionIdSchema = z.string().regex(pattern("a")).brand<"ActionId">();
export type ActionId = z.infer<typeof actionIdSchema>;

/** Same shape with `s-`. */
export const sandboxIdSchema = z.string().regex(pattern("s")).brand<"SandboxId">();
export type SandboxId = z.infer<typeof sandboxIdSchema>;

/** Same shape with `q-`: the question that a person answers. */
export const approvalIdSchema = z.string().regex(pattern("q")).brand<"ApprovalId">();
export type ApprovalId = z.infer<typeof approvalIdSchema>;

/** `sha256:` + 64 hex digits. */
export const digestSchema = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/u)
  .brand<"Digest">();
export type Digest = z.infer<typeof digestSchema>;

/** Where identifiers take their time and randomness from, so that tests are repeatable. */
export interface IdSource {
  /** Wall clock, milliseconds since the epoch. */
  nowMs(): number;
  /** Exactly `count` unpredictable bytes. */
  randomBytes(count: number): Uint8Array;
}

function makeId(prefix: string, source: IdSource): string {
  const time = Math.trunc(source.nowMs()).toString(16).padStart(12, "0").slice(-12);
  let random = "";
  for (const byte of source.randomBytes(6)) random += byte.toString(16).padStart(2, "0");
  return `${prefix}-${time}-${random}`;
}

export const makeTaskId = (source: IdSource): TaskId => taskIdSchema.parse(makeId("t", source));
export const makeActionId = (source: IdSource): ActionId => actionIdSchema.parse(makeId("a", source));
export const makeSandboxId = (source: IdSource): SandboxId => sandboxIdSchema.parse(makeId("s", source));
export const makeApprovalId = (source: IdSource): ApprovalId => approvalIdSchema.parse(makeId("q", source));
