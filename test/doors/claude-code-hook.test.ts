// Claude Code's way with the hook and with a shell of its own: the JSON that it sends, the command line that it makes of the answer, the wall
// that is behind it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { z } from "zod";
import { quoteArgument } from "../../src/kit/escape-text.ts";
import { type HookWorld, openHookWorld, type Ran } from "../fixtures/hook-world.ts";
import { removeScratch } from "../fixtures/scratch.ts";

let world: HookWorld;
let base = "";
let project = "";

before(async () => {
  world = await openHookWorld();
  ({ base, project } = world);
});
after(() => removeScratch(base));

const answerSchema = z.strictObject({
  hookSpecificOutput: z.strictObject({
    hookEventName: z.literal("PreToolUse"),
    permissionDecision: z.enum(["allow", "deny", "ask"]),
    permissionDecisionReason: z.string(),
    updatedInput: z.looseObject({ command: z.string() }).optional(),
  }),
});

/** As the hook's command stands in the settings: a shell line, the event on its standard input. */
async function hook(tool: string, input: object): Promise<z.infer<typeof answerSchema>["hookSpecificOutput"] | undefined> {
  const event = {
    session_id: "0b5d",
    transcript_path: path.join(base, "transcript.jsonl"),
    cwd: project,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_input: input,
    tool_use_id: "toolu_01",
  };
  const { code, stdout, stderr } = await world.hook(`"${world.launcher}" hook claude-code || exit 2`, event);
  assert.equal(code, 0, stderr);
  return stdout === "" ? undefined : answerSchema.parse(JSON.parse(stdout)).hookSpecificOutput;
}

/** What it runs instead of the command, in its own shell. */
async function afterHook(command: string): Promise<Ran> {
  const answer = await hook("Bash", { command, description: "test", timeout: 120_000 });
  assert.equal(answer?.permissionDecision, "ask");
  return world.runAnswered(answer.updatedInput?.command ?? "");
}

test("a command that the hook rewrote runs in the sandbox: words, code and project are kept, the rest of the host is absent", async () => {
  const quoted = await afterHook(`printf '%s|' "it's" 'a  b' "\\$HOME"; echo new > made; exit 7`);
  assert.deepEqual([quoted.code, quoted.stdout], [7, "it's|a  b|$HOME|"], quoted.stderr);
  assert.equal(await readFile(path.join(project, "made"), "utf8"), "new\n");
  const outside = await afterHook(`cat ${base}/beside; echo x > ${base}/planted`);
  assert.equal(outside.stdout, "");
  await assert.rejects(readFile(path.join(base, "planted")), /ENOENT/u);
});

test("a step to another directory is where the tool's next command starts, as it finds out by the line that it adds", async () => {
  const answer = await hook("Bash", { command: "cd sub && echo here > made && pwd" });
  const place = path.join(base, "place");
  const command = answer?.updatedInput?.["command"];
  assert.equal(typeof command, "string");
  const own = `eval ${quoteArgument(`${command}`)} < /dev/null && pwd -P >| ${place}`;
  const ran = await world.runAnswered(own);
  assert.deepEqual([ran.code, ran.stdout], [0, `${project}/sub\n`], ran.stderr);
  assert.equal(await readFile(place, "utf8"), `${project}/sub\n`);
  assert.equal(await readFile(path.join(project, "sub/made"), "utf8"), "here\n");
});

test("files that the tool touches itself: the project is left to it, what is denied or protected is denied, the rest is asked", async () => {
  const rows: readonly (readonly [tool: string, file: string, decision: string | undefined])[] = [
    ["Read", `${project}/sub/x`, undefined],
    ["Write", `${project}/sub/x`, undefined],
    ["Edit", `${project}/.git/hooks/pre-commit`, "deny"],
    ["Write", `${project}/.claude/settings.json`, "deny"],
    ["Write", `${project}/glovebox.yaml`, "deny"],
    ["Write", `${project}/sub/../../beside`, "ask"],
    ["Read", `${base}/beside`, "ask"],
  ];
  for (const [tool, file, decision] of rows)
    assert.equal((await hook(tool, { file_path: file }))?.permissionDecision, decision, `${tool} ${file}`);
});

test("a shell that stands in SHELL gives streams, code, input and directory as bash would, and is walled", async () => {
  const shell = (words: readonly string[], options?: { readonly cwd?: string; readonly input?: string }): Promise<Ran> =>
    world.run([world.launcher, "agent-shell", ...words], options);
  const both = await shell(["-c", 'echo out; echo err >&2; exit "$1"', "name", "9"]);
  assert.deepEqual([both.code, both.stdout, both.stderr], [9, "out\n", "err\n"]);
  assert.equal((await shell(["-lc", "pwd; cat"], { cwd: path.join(project, "sub"), input: "typed" })).stdout, `${project}/sub\ntyped`);
  assert.equal((await shell(["-c", "kill -TERM $$"])).code, 143);
  assert.equal((await shell(["-c", `cat ${base}/beside`])).stdout, "");
});
