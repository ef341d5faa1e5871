// Cursor's hooks: preToolUse makes a command run inside, beforeShellExecution refuses one that does not, beforeReadFile and preToolUse judge
// files by the path rules. The two about commands hold each other: a Cursor that does not change the input is told the command to run.
import path from "node:path";
import * as z from "zod";
import type { PlaceQuestion } from "../../contracts/place-judgement.ts";
import { holdsDirectory } from "../../kit/holds-directory.ts";
import { lazily } from "../../kit/lazily.ts";
import type { Texts } from "../../texts/texts.ts";
import type { AgentHook, AnswerOptions } from "./agent-hook.ts";
import { type HookParts, judgeCommand, judgeFile, type PlaceRefusal, withoutQuestion } from "./judge-action.ts";
import { hookText } from "./read-hook-input.ts";

/** Events that it answers. */
export const cursorEvents = ["preToolUse", "beforeShellExecution", "beforeReadFile"] as const;

const directory = z.string().max(4096);
const cursorEventSchema = lazily(() =>
  z.looseObject({
    hook_event_name: z.enum(cursorEvents),
    workspace_roots: z.array(directory).max(1000).optional(),
    cwd: directory.optional(),
    tool_name: z.string().max(256).optional(),
    tool_input: z.record(z.string(), z.unknown()).optional(),
    command: z.unknown().optional(),
    file_path: z.unknown().optional(),
  }),
);
type CursorEvent = z.infer<ReturnType<typeof cursorEventSchema>>;

const fileTools: ReadonlyMap<string, PlaceQuestion["access"]> = new Map([
  ["Read", "read"],
  ["Grep", "read"],
  ["Glob", "read"],
  ["LS", "read"],
  ["Write", "write"],
  ["StrReplace", "write"],
  ["Edit", "write"],
  ["EditNotebook", "write"],
  ["Delete", "write"],
]);

/** The tools that preToolUse answers about. */
export const cursorTools: readonly string[] = ["Shell", ...fileTools.keys()];

/** Where a command will run: a model may have chosen it. */
function workingDirectory({ tool_input: input, cwd, workspace_roots: roots = [] }: CursorEvent): string {
  const given = [input?.["working_directory"], cwd, roots[0]].find((value) => value !== undefined && value !== "");
  const text = hookText(given, "cwd");
  return path.isAbsolute(text) ? path.normalize(text) : path.resolve(hookText(roots[0], "workspace_roots"), text);
}

/** The open folder that holds the directory; what a model chose is never a project by that alone. */
function projectPlace(event: CursorEvent): string {
  const roots = event.workspace_roots ?? [];
  const place = workingDirectory(event);
  const root = roots.find((candidate) => holdsDirectory(path.normalize(candidate), place)) ?? roots[0] ?? event.cwd;
  const found = hookText(root, "workspace_roots");
  return path.isAbsolute(found) ? found : hookText(undefined, "workspace_roots");
}

function refusalOf({ reason }: PlaceRefusal, text: Texts): unknown {
  const message = text(reason);
  return { permission: "deny", user_message: message, agent_message: message };
}

async function answerShell(parts: HookParts, event: CursorEvent, { text, isAutoAllowed }: AnswerOptions): Promise<unknown> {
  const isTool = event.hook_event_name === "preToolUse";
  const command = hookText(isTool ? event.tool_input?.["command"] : event.command, "command");
  const judgement = await judgeCommand(parts, { command, cwd: workingDirectory(event) });
  if (judgement.decision === "deny") return refusalOf(judgement, text);
  const message = text({ key: "hook.command-inside" });
  if (isTool) return { permission: "allow", updated_input: { ...event.tool_input, command: judgement.command } };
  if (judgement.wasInside) return { permission: isAutoAllowed ? "allow" : "ask", user_message: message, agent_message: message };
  const refusal = text({ key: "hook.run-inside" });
  // To the agent the command as it is, so that it can be run; it wrote all but the words in front itself.
  return { permission: "deny", user_message: refusal, agent_message: `${refusal}\n${judgement.command}` };
}

function toolPlace(event: CursorEvent, tool: string, access: PlaceQuestion["access"]): string {
  const { file_path: file, path: place, target_notebook: notebook } = event.tool_input ?? {};
  const named = file ?? place ?? notebook;
  // A search without a place is about where the agent stands.
  if (named === undefined && access === "read" && tool !== "Read") return workingDirectory(event);
  return path.resolve(workingDirectory(event), hookText(named, `${tool}.file_path`));
}

export const cursorHook: AgentHook<CursorEvent> = {
  schema: cursorEventSchema,
  directoryOf: projectPlace,
  answer: async (parts, event, options) => {
    const { hook_event_name: name, tool_name: tool = "" } = event;
    if (name === "beforeShellExecution" || (name === "preToolUse" && tool === "Shell")) return answerShell(parts, event, options);
    const access = name === "beforeReadFile" ? "read" : fileTools.get(tool);
    if (access === undefined) return {};
    const place =
      name === "beforeReadFile"
        ? path.resolve(workingDirectory(event), hookText(event.file_path, "file_path"))
        : toolPlace(event, tool, access);
    const refusal = withoutQuestion(await judgeFile(parts, { access, place }));
    if (refusal !== undefined) return refusalOf(refusal, options.text);
    return name === "beforeReadFile" ? { permission: "allow" } : {};
  },
};
