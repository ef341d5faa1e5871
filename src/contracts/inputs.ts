// What a task is given to read: copies of files and directories of the host, made before anything runs.
import * as z from "zod";
import { madeOnce } from "./made-once.ts";

const count = z.int().min(0);

/** Of one task. What the copies take together is bounded by the policy's limit of disk. */
export const inputBounds = { named: 64, entries: 10_000, depth: 64 } as const;

/** One that was named, as it was copied. */
export const givenInputSchema = madeOnce(() =>
  z.strictObject({
    /** In the input directory; bytes that are not UTF-8 as in kit/byte-text.ts. */
    name: z.string(),
    kind: z.enum(["file", "directory"]),
    /** Regular files. */
    files: count,
    /** Of them together. */
    bytes: count,
    /** Of a file's bytes; of a directory as docs/formats.md says. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/u),
    /** Where it was on the host: absolute, without links. */
    from: z.string(),
  }),
);
export type GivenInput = z.infer<ReturnType<typeof givenInputSchema>>;
