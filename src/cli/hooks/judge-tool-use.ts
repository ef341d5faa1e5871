// One use of a tool of Claude Code -> what the hook answers. A command is made to run in a sandbox; a file that the tool touches itself, on
// the host, is judged by the path rules. It never says more than the policy: what is open is left to the tool's own rules. INVARIANT I-12
import path from "node:path";
import type { Door, PolicySelection } from "../../contracts/door.ts";
import type { PlaceQuestion } from "../../contracts/place-judgement.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import { quoteArgument } from "../../kit/escape-text.ts";
import { usageError } from "../usage-error.ts";
import type { ToolUse } from "./hook-input.ts";

export interface HookAnswer {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason: Sentence;
  /** In place of what the tool was given. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
}

export interface HookParts {
  readonly door: Door;
  readonly policy: PolicySelection;
  /** Our own program, absolute. */
  readonly launcher: string;
  /** Whether a command that the policy lets run needs no question: said where the hook is set up, by a person. */
  readonly isAutoAllowed: boolean;
}

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

function textOf({ input, tool }: ToolUse, key: string): string {
  const value = input[key];
  if (typeof value === "string" && value !== "" && value.isWellFormed() && !value.includes("\0")) return value;
  throw usageError("usage.hook-input", { problem: `${tool}.${key}` });
}

async function judgeCommand(parts: HookParts, use: ToolUse): Promise<HookAnswer> {
  const { door, policy, launcher, isAutoAllowed } = parts;
  const script = textOf(use, "command");
  const argv = ["bash", "-c", script];
  const { verdict, ruleId = "" } = (await door.policy(policy)).decide({ kind: "command", argv, cwd: use.cwd });
  if (verdict === "deny") return { decision: "deny", reason: { key: "hook.command-denied", values: { rule: ruleId } } };
  // Nobody can be asked from in here, and an answer given to the tool is none given to us.
  if (verdict === "ask") return { decision: "deny", reason: { key: "hook.command-asks" } };
  const words = [launcher, "run", "--quiet", "--project", policy.projectDirectory, "--", ...argv];
  const command = words.map((word) => quoteArgument(word)).join(" ");
  const updatedInput = { ...use.input, command };
  return { decision: isAutoAllowed ? "allow" : "ask", reason: { key: "hook.command-inside" }, updatedInput };
}

async function judgeFile(
  { door, policy }: HookParts,
  use: ToolUse,
  access: PlaceQuestion["access"],
  key: string,
): Promise<HookAnswer | undefined> {
  // Searches without a place are about where the tool stands.
  const isSearch = key === "path" && use.input[key] === undefined;
  const place = isSearch ? use.cwd : path.resolve(use.cwd, textOf(use, key));
  const judgement = await door.judgePlace(policy, { access, place });
  if (judgement === "open") return undefined;
  const values = { place };
  if (judgement === "denied") return { decision: "deny", reason: { key: "hook.place-denied", values } };
  return { decision: "ask", reason: { key: "hook.place-unnamed", values } };
}

/** Undefined: nothing to say, the tool's own rules decide. @throws USAGE_INVALID for an input that the tool cannot mean */
export async function judgeToolUse(parts: HookParts, use: ToolUse): Promise<HookAnswer | undefined> {
  if (use.tool === "Bash") return judgeCommand(parts, use);
  const [access, key] = fileTools.get(use.tool) ?? [];
  return access === undefined || key === undefined ? undefined : judgeFile(parts, use, access, key);
}
