// What a hook answers about one command or one file, whatever agent asks. A command is made to run in a sandbox; a file that the agent touches
// itself, on the host, is judged by the path rules. It never says more than the policy. INVARIANT I-12
import { realpath } from "node:fs/promises";
import type { Door, PolicySelection } from "../../contracts/door.ts";
import type { PlaceQuestion } from "../../contracts/place-judgement.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import { quoteArgument } from "../../kit/escape-text.ts";
import { holdsDirectory } from "../../kit/holds-directory.ts";
import { findProjectDirectory } from "../run/project-directory.ts";
import { leadingCd } from "./leading-cd.ts";

export interface HookParts {
  readonly door: Door;
  readonly policy: PolicySelection;
  /** Our own program, absolute. */
  readonly launcher: string;
  readonly home: string;
  /** Whether the agent's next command starts where its shell stood at the end of this one. */
  readonly keepsDirectory: boolean;
}

/** `inside`: the command that takes the given one's place, and runs it in a sandbox. */
export type CommandJudgement =
  | { readonly decision: "inside"; readonly command: string; readonly wasInside: boolean }
  | { readonly decision: "deny"; readonly reason: Sentence };

export interface PlaceRefusal {
  readonly decision: "ask" | "deny";
  readonly reason: Sentence;
}

/** What runs inside, and where the agent's own shell goes before. */
interface Inside {
  readonly script: string;
  /** Absolute, without links, in the project. */
  readonly directory?: string | undefined;
}

function insideCommand({ launcher, policy }: HookParts, { script, directory }: Inside): string {
  const words = [launcher, "run", "--quiet", "--project", policy.projectDirectory, "--", "bash", "-c", script];
  const run = words.map((word) => quoteArgument(word)).join(" ");
  return directory === undefined ? run : `builtin cd -P -- ${quoteArgument(directory)} && ${run}`;
}

/** Only where the next command would be one of the same project, by the same policy. INVARIANT I-15 */
async function placeInProject({ policy, home }: HookParts, directory: string): Promise<string | undefined> {
  const { projectDirectory } = policy;
  try {
    const real = await realpath(directory);
    if (!holdsDirectory(projectDirectory, real) || real.includes("'")) return undefined;
    return (await findProjectDirectory(undefined, { cwd: real, home })) === projectDirectory ? real : undefined;
  } catch {
    return undefined; // fails closed because a command that goes nowhere we know goes there inside
  }
}

/** What `insideCommand` was given for this command; undefined when it made no such. */
async function madeOf(parts: HookParts, command: string): Promise<Inside | undefined> {
  const [step = "", quoted, bare] = /^builtin cd -P -- (?:'([^']+)'|(\S+)) && /u.exec(command) ?? [];
  const named = quoted ?? bare;
  const directory = named === undefined ? undefined : await placeInProject(parts, named);
  const start = insideCommand(parts, { script: "." }).slice(0, -1);
  const run = command.slice(step.length);
  if (!run.startsWith(start)) return undefined;
  const word = run.slice(start.length);
  const script = word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word;
  return insideCommand(parts, { script, directory }) === command ? { script, directory } : undefined;
}

async function toRunInside(parts: HookParts, command: string, cwd: string): Promise<Inside> {
  const moved = parts.keepsDirectory ? leadingCd(command, cwd) : undefined;
  const directory = moved === undefined ? undefined : await placeInProject(parts, moved.directory);
  if (moved === undefined || directory === undefined) return { script: command };
  // What does nothing else is recorded too.
  return { script: moved.rest === "" ? ":" : moved.rest, directory };
}

export async function judgeCommand(
  parts: HookParts,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): Promise<CommandJudgement> {
  const made = await madeOf(parts, command);
  const inside = made ?? (await toRunInside(parts, command, cwd));
  const policy = await parts.door.policy(parts.policy);
  const { verdict, ruleId = "" } = policy.decide({ kind: "command", argv: ["bash", "-c", inside.script], cwd: inside.directory ?? cwd });
  if (verdict === "deny") return { decision: "deny", reason: { key: "hook.command-denied", values: { rule: ruleId } } };
  // Nobody can be asked from in here, and an answer given to the agent's program is none given to us.
  if (verdict === "ask") return { decision: "deny", reason: { key: "hook.command-asks" } };
  return { decision: "inside", command: insideCommand(parts, inside), wasInside: made !== undefined };
}

/** Undefined: the policy opens it, and the agent's own rules decide. */
export async function judgeFile({ door, policy }: HookParts, question: PlaceQuestion): Promise<PlaceRefusal | undefined> {
  const judgement = await door.judgePlace(policy, question);
  if (judgement === "open") return undefined;
  const values = { place: question.place };
  if (judgement === "denied") return { decision: "deny", reason: { key: "hook.place-denied", values } };
  return { decision: "ask", reason: { key: "hook.place-unnamed", values } };
}

/** Of an agent whose format knows no question: what would be one is a denial that names the way. */
export function withoutQuestion(refusal: PlaceRefusal | undefined): PlaceRefusal | undefined {
  if (refusal?.decision !== "ask") return refusal;
  return { decision: "deny", reason: { ...refusal.reason, key: "hook.place-closed" } };
}
