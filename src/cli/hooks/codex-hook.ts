// Codex's PreToolUse hook. Its format knows a denial and a changed input, and no question: what a person would be asked about is denied.
import path from "node:path";
import { type ToolUse, preToolUseSchema } from "./claude-code-hook.ts";
import type { AgentHook } from "./agent-hook.ts";
import { type CommandJudgement, type HookParts, judgeCommand, judgeFile, type PlaceRefusal, withoutQuestion } from "./judge-action.ts";
import { hookText } from "./read-hook-input.ts";
import { usageError } from "../usage-error.ts";

/** The tools that it answers about. */
export const codexTools: readonly string[] = ["Bash", "apply_patch"];

/** More than Codex itself takes for a header counts: a name too many is judged, none is missed. */
const patchHeader = /^[^\S\n]*\*\*\* *(?:Add File|Update File|Delete File|Move to)\s*:([^\n]*)$/gimu;

function patchedFiles(patch: string): readonly string[] {
  const names = [...patch.matchAll(patchHeader)].map(([, name = ""]) => hookText(name.trim(), "apply_patch.command"));
  if (names.length > 0) return names;
  throw usageError("usage.hook-input", { problem: "apply_patch.command" });
}

async function judgePatch(parts: HookParts, { cwd }: ToolUse, patch: string): Promise<PlaceRefusal | undefined> {
  for (const name of patchedFiles(patch)) {
    const refusal = withoutQuestion(await judgeFile(parts, { access: "write", place: path.resolve(cwd, name) }));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

async function judgeUse(parts: HookParts, use: ToolUse): Promise<CommandJudgement | PlaceRefusal | undefined> {
  const { tool_name: tool, tool_input: input, cwd } = use;
  if (!codexTools.includes(tool)) return undefined;
  const command = hookText(input["command"], `${tool}.command`);
  return tool === "Bash" ? judgeCommand(parts, { command, cwd }) : judgePatch(parts, use, command);
}

export const codexHook: AgentHook<ToolUse> = {
  schema: preToolUseSchema,
  directoryOf: ({ cwd }) => cwd,
  answer: async (parts, use, { text }) => {
    const judgement = await judgeUse(parts, use);
    if (judgement === undefined) return undefined;
    const hookEventName = "PreToolUse";
    if (judgement.decision !== "inside") {
      return { hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: text(judgement.reason) } };
    }
    // "allow" is how the format says that the input changes; Codex still asks as its own approval policy says.
    const updatedInput = { ...use.tool_input, command: judgement.command };
    return { hookSpecificOutput: { hookEventName, permissionDecision: "allow", updatedInput } };
  },
};
