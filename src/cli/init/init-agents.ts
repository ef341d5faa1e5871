// The agents that `glovebox init` knows: where each keeps its settings, and what our hook looks like there.
import { claudeCodeTools } from "../hooks/claude-code-hook.ts";
import { codexTools } from "../hooks/codex-hook.ts";
import { cursorTools } from "../hooks/cursor-hook.ts";
import { readHooks, withCursorHooks, withHookGroup } from "./hook-settings.ts";

export interface InitAgent {
  readonly name: string;
  /** Its directory in the home directory and in a project, and the file in it. */
  readonly directory: string;
  readonly file: string;
  /** The variable that puts another directory in the place of the one in the home directory. */
  readonly directoryVariable?: string;
  /** Whether its hook may take the agent's own question away. */
  readonly canAutoAllow: boolean;
  /** What a person still has to do or know. */
  readonly note: string;
  /** Whether the settings say that no hook runs. */
  isDisabled(text: string): boolean;
  /** @param command for a shell */
  edit(text: string, command: string): string;
}

/** Seconds: it only reads policies, but on a busy machine that may take its time. */
const timeout = 60;

const cursorHook = (command: string) => ({ command, timeout, failClosed: true }) as const;

export const initAgents: readonly InitAgent[] = [
  {
    name: "claude-code",
    directory: ".claude",
    file: "settings.json",
    directoryVariable: "CLAUDE_CONFIG_DIR",
    canAutoAllow: true,
    note: "agent-init.note.claude-code",
    isDisabled: (text) => readHooks(text).disableAllHooks === true,
    edit: (text, command) =>
      withHookGroup(text, "claude-code", { matcher: claudeCodeTools.join("|"), hooks: [{ type: "command", command }] }),
  },
  {
    name: "codex",
    directory: ".codex",
    file: "hooks.json",
    directoryVariable: "CODEX_HOME",
    canAutoAllow: false,
    note: "agent-init.note.codex",
    isDisabled: () => false,
    edit: (text, command) =>
      withHookGroup(text, "codex", { matcher: codexTools.join("|"), hooks: [{ type: "command", command, timeout }] }),
  },
  {
    name: "cursor",
    directory: ".cursor",
    file: "hooks.json",
    canAutoAllow: true,
    note: "agent-init.note.cursor",
    isDisabled: () => false,
    edit: (text, command) =>
      withCursorHooks(text, {
        preToolUse: { ...cursorHook(command), matcher: cursorTools.join("|") },
        beforeShellExecution: cursorHook(command),
        beforeReadFile: cursorHook(command),
      }),
  },
];
