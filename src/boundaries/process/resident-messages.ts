// What the resident launcher is asked and says, as native/launcher/resident.h has it. Node has parsed the JSON of its channel; the shape is checked here.
import * as z from "zod";
import { lazily } from "../../kit/lazily.ts";

const set = lazily(() => z.int().min(0).max(0xffff_ffff));

const messageSchema = lazily(() =>
  z.union([
    z.strictObject({ set: set(), end: z.enum(["layout", "text", "control"]) }),
    z.strictObject({ short: set() }),
    z.strictObject({ started: set(), pid: z.int().min(1) }),
    z.strictObject({ ended: set(), error: z.string().optional() }),
  ]),
);

export type ResidentMessage = z.infer<ReturnType<typeof messageSchema>>;
export type ResidentEnd = Extract<ResidentMessage, { set: number }>["end"];

/** Undefined for what it never says. */
export function parseResidentMessage(value: unknown): ResidentMessage | undefined {
  return messageSchema().safeParse(value).data;
}

/** `u32le length | word NUL word NUL ...`. No word holds a NUL: paths cannot, and the rest is ours. */
export function residentRequest(words: readonly string[]): Buffer {
  const body = Buffer.from(words.map((word) => `${word}\0`).join(""), "utf8");
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
}
