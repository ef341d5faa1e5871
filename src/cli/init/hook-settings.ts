// Puts our hook into the text of an agent's settings: what is ours already is brought up to date in its place, everything else stays. Pure.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { withJsoncValue } from "../../kit/edit-jsonc.ts";
import { jsoncValue, parseJsonc } from "../../kit/jsonc-tree.ts";
import { lazily } from "../../kit/lazily.ts";

/** What stands in `hooks.EVENT` of Claude Code's settings and of Codex's hooks.json. */
export interface HookGroup {
  readonly matcher: string;
  readonly hooks: readonly [{ readonly type: "command"; readonly command: string; readonly timeout?: number }];
}

/** What stands in `hooks.EVENT` of Cursor's hooks.json. */
export interface CursorHook {
  readonly command: string;
  readonly matcher?: string;
  readonly timeout: number;
  readonly failClosed: true;
}

const handler = z.looseObject({ command: z.string().optional() });
const settingsSchema = lazily(() =>
  z.looseObject({
    version: z.unknown().optional(),
    disableAllHooks: z.unknown().optional(),
    hooks: z.record(z.string(), z.array(handler.extend({ hooks: z.array(handler).optional() }))).optional(),
  }),
);

/** The settings in the part that is looked at. @throws JsoncFault for no JSON, ZodError for another shape */
export function readHooks(text: string): z.infer<ReturnType<typeof settingsSchema>> {
  return settingsSchema().parse(jsoncValue(parseJsonc(text)));
}

/** Ours, by whatever path: a clone that moved must not leave a second one. */
const isOurs = (command: string | undefined, agent: string): boolean =>
  command !== undefined && command.includes("glovebox") && command.includes(` hook ${agent}`);

/** Changes the text only where the value is another. */
function put(text: string, path: readonly (string | number)[], now: unknown, value: unknown): string {
  return isDeepStrictEqual(now, value) ? text : withJsoncValue(text, path, value);
}

export function withHookGroup(text: string, agent: string, group: HookGroup): string {
  const event = "PreToolUse";
  const groups = readHooks(text).hooks?.[event] ?? [];
  const at = groups.findIndex(({ hooks = [] }) => hooks.some(({ command }) => isOurs(command, agent)));
  const found = groups[at];
  if (found === undefined) return withJsoncValue(text, ["hooks", event, groups.length], group);
  const inner = (found.hooks ?? []).findIndex(({ command }) => isOurs(command, agent));
  const matched = put(text, ["hooks", event, at, "matcher"], found["matcher"], group.matcher);
  return put(matched, ["hooks", event, at, "hooks", inner], found.hooks?.[inner], group.hooks[0]);
}

export function withCursorHooks(text: string, hooks: Readonly<Record<string, CursorHook>>): string {
  // A file without its version is one that Cursor does not read.
  const start = readHooks(text).version === undefined ? withJsoncValue(text, ["version"], 1) : text;
  return Object.entries(hooks).reduce((before, [event, hook]) => {
    const found = readHooks(before).hooks?.[event] ?? [];
    const at = found.findIndex(({ command }) => isOurs(command, "cursor"));
    return put(before, ["hooks", event, at === -1 ? found.length : at], found[at], hook);
  }, start);
}
