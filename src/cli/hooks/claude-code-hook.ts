// Claude Code's PreToolUse hook: one use of a tool -> what is answered. What is open is left to the tool's own rules.
import path from "node:path";
import * as z from "zod";
import type { PlaceQuestion } from "../../contracts/place-judgement.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import { lazily } from "../../kit/lazily.ts";
import type { AgentHook } from "./agent-hook.ts";
import { type HookParts, judgeCommand, judgeFile } from "./judge-action.ts";
import { hookText } from "./read-hook-input.ts";

/** Further keys, a mode that claims permission among them, say nothing. */
export const preToolUseSchema = lazily(() =>
  z.looseObject({
    hook_event_name: z.literal("PreToolUse"),
    tool_name: z.string().min(1).max(256),
    tool_input: z.record(z.string(), z.unknown()),
    cwd: z.string().startsWith("/").max(4096),
  }),
);
export type ToolUse = z.infer<ReturnType<typeof preToolUseSchema>>;

/** Tools that touch one file or directory of the host, and the key that names it. */
const fileTools: ReadonlyMap<string, readonly [access: PlaceQuestion["access"], key: string]> = new Map([
  ["Read", ["read", "file_path"]],
  ["NotebookRead", ["read", "notebook_path"]],
  ["Glob", ["read", "path"]],
  ["Grep", ["read", "path"]],
  ["LS", ["read", "path"]],
  ["Write", ["write", "file_path"]],
  ["Edit", ["write", "file_path"]],
  ["MultiEdit", ["write", "file_path"]],
  ["NotebookEdit", ["write", "notebook_path"]],
]);

/** The tools that it answers about. Monitor's command goes on while the model does something else. */
export const claudeCodeTools: readonly string[] = ["Bash", "Monitor", ...fileTools.keys()];

/** A tool that nobody here knows and that is given a command may run it. A server's tool does so where the server is. */
const runsCommand = ({ tool_name: tool, tool_input: input }: ToolUse): boolean =>
  tool === "Bash" || (!fileTools.has(tool) && !tool.startsWith("mcp__") && input["command"] !== undefined);

interface Answer {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason: Sentence;
  /** In place of what the tool was given. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
}

async function answerCommand(parts: HookParts, use: ToolUse, isAutoAllowed: boolean): Promise<Answer> {
  const judgement = await judgeCommand(parts, { command: hookText(use.tool_input["command"], `${use.tool_name}.command`), cwd: use.cwd });
  if (judgement.decision === "deny") return judgement;
  const updatedInput = { ...use.tool_input, command: judgement.command };
  return { decision: isAutoAllowed ? "allow" : "ask", reason: { key: "hook.command-inside" }, updatedInput };
}

function placeOf({ cwd, tool_name: tool, tool_input: input }: ToolUse, key: string): string {
  // Searches without a place are about where the tool stands.
  const isSearch = key === "path" && input[key] === undefined;
  return isSearch ? cwd : path.resolve(cwd, hookText(input[key], `${tool}.${key}`));
}

async function answerUse(parts: HookParts, use: ToolUse, isAutoAllowed: boolean): Promise<Answer | undefined> {
  if (runsCommand(use)) return answerCommand(parts, use, isAutoAllowed);
  const [access, key] = fileTools.get(use.tool_name) ?? [];
  return access === undefined || key === undefined ? undefined : judgeFile(parts, { access, place: placeOf(use, key) });
}

export const claudeCodeHook: AgentHook<ToolUse> = {
  schema: preToolUseSchema,
  directoryOf: ({ cwd }) => cwd,
  answer: async (parts, use, { isAutoAllowed, text }) => {
    const given = await answerUse(parts, use, isAutoAllowed);
    if (given === undefined) return undefined;
    const { decision, reason, updatedInput } = given;
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: decision,
        permissionDecisionReason: text(reason),
        ...(updatedInput === undefined ? {} : { updatedInput }),
      },
    };
  },
};
