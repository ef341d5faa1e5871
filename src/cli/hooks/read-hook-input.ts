// What a hook is told on its standard input: bounded, parsed once, and believed in nothing but what the tool is about to do.
import type * as z from "zod";
import type { CliInput } from "../cli-io.ts";
import { openStdinBytes } from "../run/stdin-bytes.ts";
import { usageError } from "../usage-error.ts";

/** A written file comes in it whole. */
const maximumBytes = 16 * 2 ** 20;

async function readBounded(input: CliInput): Promise<string> {
  const stdin = openStdinBytes(input);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stdin.chunks) {
      size += chunk.length;
      if (size > maximumBytes) throw usageError("usage.hook-input", { problem: `> ${maximumBytes} B` });
      chunks.push(chunk);
    }
  } finally {
    stdin.release();
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

/** @throws USAGE_INVALID for everything but what the schema describes */
export async function readHookInput<Input>(stdin: CliInput, schema: z.ZodType<Input>): Promise<Input> {
  const text = await readBounded(stdin).catch((error: unknown) => {
    throw error instanceof TypeError ? usageError("usage.hook-input", { problem: "UTF-8" }) : error;
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError("usage.hook-input", { problem: "JSON" });
  }
  const checked = schema.safeParse(value, { reportInput: false });
  if (checked.success) return checked.data;
  throw usageError("usage.hook-input", { problem: checked.error.issues[0]?.path.join(".") ?? "" });
}

/** A value that names a command or a file. @param name of its key, for the refusal @throws USAGE_INVALID for one that a tool cannot mean */
export function hookText(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "" && value.isWellFormed() && !value.includes("\0")) return value;
  throw usageError("usage.hook-input", { problem: name });
}
