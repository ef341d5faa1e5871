// `glovebox hook cursor`: Cursor's hooks about commands and files.
import type { CliCommand } from "../command.ts";
import { cursorHook } from "../hooks/cursor-hook.ts";
import { createHookCommand } from "../hooks/hook-command.ts";

export const hookCursorCommand: CliCommand = createHookCommand("cursor", cursorHook, { canAutoAllow: true, keepsDirectory: true });
