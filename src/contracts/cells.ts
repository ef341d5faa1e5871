// What the bridge inside a sandbox says of a cell, one document a line, checked for shape and nothing else. Everything in it is untrusted. INVARIANT I-13
import * as z from "zod";
import { madeOnce } from "./made-once.ts";

/** How long a cell may run unless its caller or its policy says less. */
export const cellLimitMs = 90_000;

/** What an output may be, each with its text; pictures as base64, JSON as its text. */
export const cellMediaTypes = [
  "text/plain",
  "text/html",
  "text/markdown",
  "text/latex",
  "image/png",
  "image/jpeg",
  "image/svg+xml",
  "application/json",
] as const;
export type CellMediaType = (typeof cellMediaTypes)[number];

const data = madeOnce(() => z.partialRecord(z.enum(cellMediaTypes), z.string()));

const outputs = madeOnce(
  () =>
    [
      z.strictObject({ kind: z.literal("stream"), name: z.enum(["stdout", "stderr"]), text: z.string() }),
      /** The value of its last expression. */
      z.strictObject({ kind: z.literal("result"), data: data() }),
      z.strictObject({ kind: z.literal("display"), data: data() }),
      z.strictObject({ kind: z.literal("error"), name: z.string(), value: z.string(), traceback: z.array(z.string()).max(100) }),
    ] as const,
);

export const cellDocumentSchema = madeOnce(() =>
  z.discriminatedUnion("kind", [
    ...outputs(),
    /** So much was shown beyond the bounds, and left out. */
    z.strictObject({ kind: z.literal("cut"), characters: z.int().min(1) }),
    z.strictObject({ kind: z.literal("end"), status: z.enum(["ok", "error", "lost"]), count: z.int().min(0).optional() }),
    z.strictObject({ kind: z.literal("ready") }),
    z.strictObject({ kind: z.literal("unavailable"), reason: z.enum(["missing", "start"]), detail: z.string() }),
  ]),
);
export type CellDocument = z.infer<ReturnType<typeof cellDocumentSchema>>;

export type CellOutput = Extract<CellDocument, { kind: "stream" | "result" | "display" | "error" }>;

/** Of one cell; the bridge stays below them, so who goes beyond is not the bridge. */
export const cellBounds = { bytes: 128 << 20, documents: 5000 } as const;

/** Of one cell: it is an argument of the command that runs it, so that the record has it and a person who is asked sees it. Bytes. */
export const cellCodeMax = 96 * 1024;
