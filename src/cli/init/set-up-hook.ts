// Sets our hook up in an agent's settings, after a person has seen what changes, and takes it out again. The record of what was there is kept
// before the file is touched.
import * as z from "zod";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { digestSchema } from "../../contracts/ids.ts";
import { sha256Digest } from "../../kit/digest.ts";
import { JsoncFault } from "../../kit/jsonc-tree.ts";
import type { CliContext } from "../command.ts";
import { usageError } from "../usage-error.ts";
import type { InitAgent } from "./init-agents.ts";
import type { InitPlace } from "./init-place.ts";
import { findSettings, type FoundSettings, isSame, removeSettings, writeSettings } from "./settings-file.ts";

export interface InitPlan {
  readonly agent: InitAgent;
  readonly place: InitPlace;
  readonly found: FoundSettings;
  /** The same text where there is nothing to do. */
  readonly after: string;
}

/** Claude Code and Codex take nothing from a file with a comment in it, no hook either, and go on without. */
function requireStrict(file: string, text: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw usageError("usage.init-comments", { file });
  }
}

function edited(agent: InitAgent, { file, text }: FoundSettings, command: string): string {
  try {
    if (agent.isDisabled(text)) throw usageError("usage.init-disabled", { file });
    const after = agent.edit(text, command);
    requireStrict(file, text);
    return after;
  } catch (error) {
    if (error instanceof JsoncFault) throw usageError("usage.init-syntax", { file, line: error.line });
    if (error instanceof z.ZodError) throw usageError("usage.init-shape", { file, key: error.issues[0]?.path.join(".") ?? "" });
    throw error;
  }
}

/** @throws USAGE_INVALID for settings that are not to be touched */
export async function planHook(agent: InitAgent, place: InitPlace, flags: readonly string[]): Promise<InitPlan> {
  const found = await findSettings(place.base, place.relative);
  const command = `${[place.program, "hook", agent.name, ...flags].join(" ")} || exit 2`;
  return { agent, place, found, after: edited(agent, found, command) };
}

/** @throws CHANGES_EDITED when the file is not what was shown any more */
export async function applyPlan(context: CliContext, { place, found, after }: InitPlan): Promise<void> {
  const now = await findSettings(place.base, place.relative);
  const { file } = found;
  if (now.file !== file || !isSame(now, found.bytes)) throw new GloveboxError("CHANGES_EDITED", "agent-init.changed", { values: { file } });
  const { settings } = await context.door();
  const earlier = await settings.find(file);
  // What stands there is what we wrote: the first state of all is the one to go back to.
  const isOurs = earlier !== undefined && now.bytes !== undefined && earlier.after === sha256Digest(now.bytes);
  const { before, directories } = isOurs ? earlier : { before: now.bytes, directories: now.missing };
  await settings.keep({ file, before, after: digestSchema.parse(sha256Digest(after)), directories });
  await writeSettings(now, after);
}

/** @returns the file. @throws USAGE_INVALID when nothing was set up, CHANGES_EDITED when somebody has edited the file since */
export async function undoHook(context: CliContext, agent: InitAgent, place: InitPlace): Promise<string> {
  const now = await findSettings(place.base, place.relative);
  const { file } = now;
  const { settings } = await context.door();
  const kept = await settings.find(file);
  if (kept === undefined) throw usageError("usage.init-none", { agent: agent.name, file });
  // A write that did not come to its end left what was there.
  if (!isSame(now, kept.before)) {
    const isOurs = now.bytes !== undefined && sha256Digest(now.bytes) === kept.after;
    if (!isOurs) throw new GloveboxError("CHANGES_EDITED", "agent-init.edited", { values: { file, agent: agent.name } });
    if (kept.before === undefined) await removeSettings(file, kept.directories);
    else await writeSettings(now, kept.before);
  }
  await settings.forget(file);
  return file;
}
