// What the tools' arguments have in common. Every string is bounded, holds no NUL and is well-formed, so that it means inside what it says here.
import * as z from "zod";
import type { Say } from "./tool.ts";

const limits = { pathBytes: 4096, wordBytes: 128 * 1024, words: 1024, argvBytes: 1024 * 1024, contentBytes: 2 * 1024 * 1024 } as const;

const isClean = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** At most so many bytes of UTF-8. */
const text = (bytes: number) =>
  z
    .string()
    .max(bytes)
    .refine((given) => isClean(given), { error: "Expected well-formed text without NUL" })
    .refine((given) => Buffer.byteLength(given) <= bytes, { error: `Expected at most ${bytes} bytes` });

/** The kernel takes no longer argument. */
export const word = () => text(limits.wordBytes - 1);

export const path = () => text(limits.pathBytes - 1).min(1);

export const absolutePath = () => path().regex(/^\//u);

export const content = () => text(limits.contentBytes);

export const argv = () =>
  z
    .array(word())
    .min(1)
    .max(limits.words)
    .refine((words) => words.reduce((sum, each) => sum + Buffer.byteLength(each) + 1, 0) <= limits.argvBytes, {
      error: `Expected at most ${limits.argvBytes} bytes in all`,
    });

export const timeoutSeconds = () => z.number().min(0.001).max(86_400);

/** What every tool that runs something takes beside it. */
export const commandInputs = (say: Say) => ({
  cwd: absolutePath()
    .optional()
    .describe(say({ key: "mcp.input.cwd" })),
  stdin: content()
    .optional()
    .describe(say({ key: "mcp.input.stdin" })),
  timeout_seconds: timeoutSeconds()
    .optional()
    .describe(say({ key: "mcp.input.timeout" })),
});
