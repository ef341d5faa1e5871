// `glovebox hook codex`: Codex's PreToolUse hook.
import type { CliCommand } from "../command.ts";
import { codexHook } from "../hooks/codex-hook.ts";
import { createHookCommand } from "../hooks/hook-command.ts";

export const hookCodexCommand: CliCommand = createHookCommand("codex", codexHook, { canAutoAllow: false, keepsDirectory: false });
