// `glovebox hook claude-code`: Claude Code's PreToolUse hook.
import type { CliCommand } from "../command.ts";
import { claudeCodeHook } from "../hooks/claude-code-hook.ts";
import { createHookCommand } from "../hooks/hook-command.ts";

export const hookClaudeCodeCommand: CliCommand = createHookCommand("claude-code", claudeCodeHook, {
  canAutoAllow: true,
  keepsDirectory: true,
});
