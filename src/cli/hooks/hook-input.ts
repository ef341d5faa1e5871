// What a hook of Claude Code is told on its standard input: bounded, parsed once, and believed in nothing but what the tool is about to do.
import * as z from "zod";
import { lazily } from "../../kit/lazily.ts";
import type { CliInput } from "../cli-io.ts";
import { openStdinBytes } from "../run/stdin-bytes.ts";
import { usageError } from "../usage-error.ts";

/** A written file comes in it whole. */
const maximumBytes = 16 * 2 ** 20;

/** Further keys, a mode that claims permission among them, say nothing. */
const preToolUseSchema = lazily(() =>
  z.looseObject({
    hook_event_name: z.literal("PreToolUse"),
    tool_name: z.string().min(1).max(256),
    tool_input: z.record(z.string(), z.unknown()),
    cwd: z.string().startsWith("/").max(4096),
  }),
);

export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Absolute. */
  readonly cwd: string;
}

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

/** @throws USAGE_INVALID for everything but the description of one use of a tool */
export async function readToolUse(stdin: CliInput): Promise<ToolUse> {
  const text = await readBounded(stdin).catch((error: unknown) => {
    throw error instanceof TypeError ? usageError("usage.hook-input", { problem: "UTF-8" }) : error;
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError("usage.hook-input", { problem: "JSON" });
  }
  const checked = preToolUseSchema().safeParse(value, { reportInput: false });
  if (!checked.success) throw usageError("usage.hook-input", { problem: checked.error.issues[0]?.path.join(".") ?? "" });
  const { tool_name: tool, tool_input: input, cwd } = checked.data;
  return { tool, input, cwd };
}
