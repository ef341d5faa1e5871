// `glovebox init` and what it sets up, driven as each agent does: the line of its settings, its event, its shell. And the same from inside a
// sandbox, where nothing of it may be changed, started anew or approved. INVARIANT I-12, I-15
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { z } from "zod";
import { commandLine } from "../fixtures/command-line.ts";
import { type HookWorld, openHookWorld, type Ran } from "../fixtures/hook-world.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "../..");
const files = { "claude-code": ".claude/settings.json", codex: ".codex/hooks.json", cursor: ".cursor/hooks.json" } as const;
type Agent = keyof typeof files;
const agents = ["claude-code", "codex", "cursor"] as const;

let world: HookWorld;
const lines: Partial<Record<string, string>> = {};

const handler = z.looseObject({ command: z.string().optional(), matcher: z.string().optional() });
const settingsSchema = z.looseObject({
  hooks: z.record(z.string(), z.tuple([handler.extend({ hooks: z.tuple([handler]).optional() })])),
});

/** The line that stands in the settings for an event, found as the agent finds it: by the tool's name. */
async function lineOf(agent: Agent, event: string, tool?: string): Promise<string> {
  const { hooks } = settingsSchema.parse(JSON.parse(await readFile(path.join(world.project, files[agent]), "utf8")));
  const [group] = hooks[event] ?? [];
  assert.ok(tool === undefined || group?.matcher?.split("|").includes(tool), `${agent} ${event} ${tool}`);
  return group?.hooks?.[0].command ?? group?.command ?? "";
}

before(async () => {
  world = await openHookWorld();
  for (const agent of agents) {
    const { code, stderr } = await world.run([world.launcher, "init", "--yes", agent]);
    assert.equal(code, 0, stderr);
  }
  lines["codex"] = await lineOf("codex", "PreToolUse", "Bash");
  lines["claude-code"] = await lineOf("claude-code", "PreToolUse", "Bash");
  lines["cursor"] = await lineOf("cursor", "preToolUse", "Shell");
});
after(() => removeScratch(world.base));

const script = (): string =>
  `printf '%s|' "it's" 'a  b'; echo new > made; cat ${world.base}/beside; echo x > ${world.base}/planted; exit 7`;

async function requireInside(ran: Ran): Promise<void> {
  assert.deepEqual([ran.code, ran.stdout], [7, "it's|a  b|"], ran.stderr);
  assert.equal(await readFile(path.join(world.project, "made"), "utf8"), "new\n");
  await assert.rejects(readFile(path.join(world.base, "planted")), /ENOENT/u);
}

const claudeShape = (tool: string, input: object): object => {
  const ids = { session_id: "0b5d", turn_id: "t1", transcript_path: null, model: "m", permission_mode: "default", tool_use_id: "call_1" };
  return { ...ids, cwd: world.project, hook_event_name: "PreToolUse", tool_name: tool, tool_input: input };
};

const outputSchema = z.strictObject({
  hookSpecificOutput: z.strictObject({
    hookEventName: z.literal("PreToolUse"),
    permissionDecision: z.enum(["allow", "deny", "ask"]),
    permissionDecisionReason: z.string().min(1).optional(),
    updatedInput: z.looseObject({ command: z.string() }).optional(),
  }),
});

const answerOf = ({ code, stdout, stderr }: Ran) => {
  assert.equal(code, 0, stderr);
  return outputSchema.parse(JSON.parse(stdout)).hookSpecificOutput;
};

test("what init wrote for Claude Code and Codex makes a command run inside", async () => {
  for (const agent of ["claude-code", "codex"] as const) {
    const answer = answerOf(await world.hook(lines[agent] ?? "", claudeShape("Bash", { command: script() })));
    assert.equal(answer.permissionDecision, agent === "codex" ? "allow" : "ask");
    await requireInside(await world.runAnswered(answer.updatedInput?.command ?? ""));
  }
});

test("Codex's patches: what the project holds goes on, what is protected or beside it is denied", async () => {
  const line = await lineOf("codex", "PreToolUse", "apply_patch");
  const patch = (file: string): object => ({ command: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n` });
  assert.equal((await world.hook(line, claudeShape("apply_patch", patch("sub/new")))).stdout, "");
  for (const file of [".git/hooks/pre-commit", ".codex/hooks.json", "../beside", "/etc/new"]) {
    const { permissionDecision } = answerOf(await world.hook(line, claudeShape("apply_patch", patch(file))));
    assert.equal(permissionDecision, "deny", file);
  }
});

const cursorAnswer = z.strictObject({
  permission: z.enum(["allow", "deny", "ask"]).optional(),
  user_message: z.string().optional(),
  agent_message: z.string().optional(),
  updated_input: z.looseObject({ command: z.string() }).optional(),
});

async function cursor(event: string, more: object): Promise<z.infer<typeof cursorAnswer>> {
  const ids = { conversation_id: "c", generation_id: "g", model: "m", cursor_version: "3.11.25", user_email: null };
  const line = await lineOf("cursor", event);
  const ran = await world.hook(line, { ...ids, hook_event_name: event, workspace_roots: [world.project], ...more });
  assert.equal(ran.code, 0, ran.stderr);
  return cursorAnswer.parse(JSON.parse(ran.stdout));
}

test("what init wrote for Cursor makes a command run inside, and refuses one outside with the words for it", async () => {
  const input = { command: script(), working_directory: world.project };
  const rewritten = await cursor("preToolUse", { tool_name: "Shell", tool_input: input, tool_use_id: "u" });
  assert.equal(rewritten.permission, "allow");
  await requireInside(await world.runAnswered(rewritten.updated_input?.command ?? ""));
  const refused = await cursor("beforeShellExecution", { command: script(), cwd: world.project });
  assert.equal(refused.permission, "deny");
  const told = refused.agent_message?.slice(refused.agent_message.indexOf("\n") + 1) ?? "";
  assert.equal((await cursor("beforeShellExecution", { command: told, cwd: world.project })).permission, "ask");
  await requireInside(await world.runAnswered(told));
  assert.equal((await cursor("beforeReadFile", { file_path: path.join(world.base, "beside"), content: "text\n" })).permission, "deny");
  assert.equal((await cursor("beforeReadFile", { file_path: path.join(world.project, "made"), content: "new\n" })).permission, "allow");
});

test("where the program is not found, and where the event is none, the line of the settings blocks with a word", async () => {
  for (const agent of agents) {
    for (const [event, home] of [
      [claudeShape("Bash", { command: "true" }), path.join(world.base, "sub")],
      [[], world.base],
    ] as const) {
      const ran = await world.hook(lines[agent] ?? "", event, home);
      assert.deepEqual([ran.code, ran.stdout], [2, ""], agent);
      assert.notEqual(ran.stderr.trim(), "");
    }
  }
});

test("a command inside changes none of these files, and can set nothing up or undo it", async () => {
  const contents = (): Promise<string[]> => Promise.all(agents.map((agent) => readFile(path.join(world.project, files[agent]), "utf8")));
  const earlier = await contents();
  const tries = agents.flatMap((agent) => {
    const file = files[agent];
    const directory = path.dirname(file);
    return [
      `echo '{}' > ${file}`,
      `echo '{}' > new && mv new ${file}`,
      `rm -f ${file}`,
      `mv ${file} gone`,
      `mv ${directory} gone`,
      `ln -sfn /tmp ${directory}`,
    ];
  });
  const own = `"${process.execPath}" "${commandLine}"`;
  const inits = ["--yes claude-code", "--undo codex"].map((words) => `XDG_STATE_HOME=/tmp/state ${own} init ${words}; echo "code $?"`);
  const inside = ["bash", "-c", [...tries, ...inits].join("\n")] as const;
  const ran = await world.run([world.launcher, "run", "--quiet", "--allow-read", installation, "--", ...inside]);
  assert.deepEqual(ran.stdout.match(/code \d+/gu), ["code 122", "code 122"], ran.stderr);
  assert.equal(ran.stderr.match(/inside of a sandbox/gu)?.length, 2, ran.stderr);
  assert.deepEqual(await contents(), earlier);
});

test("undo brings the project back as it was", async () => {
  for (const agent of agents) {
    const { code, stderr } = await world.run([world.launcher, "init", "--undo", agent]);
    assert.equal(code, 0, stderr);
    await assert.rejects(readFile(path.join(world.project, files[agent])), /ENOENT/u);
  }
});
