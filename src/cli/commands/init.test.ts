// `glovebox init`: what is shown, asked, written, kept and put back, and what is never touched.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import type { ReplacedSettings, SettingsDoor } from "../../contracts/settings-door.ts";
import { inDirectory } from "../testing/in-directory.ts";
import { callCli, type FakeCall, type FakeCallOptions } from "../testing/run-fake-cli.ts";

interface World {
  readonly home: string;
  readonly project: string;
  init(words: readonly string[], options?: FakeCallOptions): Promise<FakeCall>;
}

function keptInMemory(): SettingsDoor {
  const kept = new Map<string, ReplacedSettings>();
  return {
    find: async (file) => kept.get(file),
    keep: async (replaced) => void kept.set(replaced.file, replaced),
    forget: async (file) => void kept.delete(file),
  };
}

async function inWorld(use: (world: World) => Promise<void>): Promise<void> {
  await inDirectory(async (directory) => {
    const [home, project] = [path.join(directory, "home"), path.join(directory, "home/project")];
    await mkdir(path.join(project, ".git"), { recursive: true });
    const settings = keptInMemory();
    const init = (words: readonly string[], options: FakeCallOptions = {}): Promise<FakeCall> =>
      callCli(["init", ...words], { cwd: project, home, ...options, door: { settings, ...options.door } });
    await use({ home, project, init });
  });
}

const agents: readonly (readonly [name: string, file: string])[] = [
  ["claude-code", ".claude/settings.json"],
  ["codex", ".codex/hooks.json"],
  ["cursor", ".cursor/hooks.json"],
];

test("a project's file is shown as a diff, written, found again, and taken away with its directory", async () => {
  await inWorld(async ({ project, init }) => {
    for (const [name, file] of agents) {
      const place = path.join(project, file);
      const call = await init(["--yes", name]);
      assert.equal(call.code, 0, call.err());
      const text = await readFile(place, "utf8");
      assert.match(call.out(), new RegExp(`^--- /dev/null\n\\+\\+\\+ ${place}\n@@ `, "u"));
      assert.ok(text.split("\n").every((line) => line === "" || call.out().includes(`\n+${line}\n`)));
      // No place of this machine: others have the project too.
      assert.match(text, new RegExp(`\\\\"\\$HOME\\\\"/.local/bin/glovebox hook ${name} \\|\\| exit 2"`, "u"));
      assert.ok(!text.includes("/opt"), text);
      assert.match(call.err(), /ln -sf '\/opt\/glove box\/glovebox' ~\/.local\/bin\/glovebox/u);
      const again = await init([name]);
      assert.deepEqual([again.code, again.out().startsWith("Nothing to do")], [0, true]);
      assert.equal((await init(["--undo", name])).code, 0);
      assert.ok(!(await readdir(project)).includes(path.dirname(file)));
      assert.equal((await init(["--undo", name])).code, 2);
    }
  });
});

test("your own file keeps its bytes, mode and name behind a link, and comes back byte for byte", async () => {
  await inWorld(async ({ home, init }) => {
    const before = '{\r\n\t"own":   [1,2],\r\n\t"permissions": {"deny": ["Bash(rm:*)"]}\r\n}\r\n';
    await mkdir(path.join(home, "dotfiles/.claude"), { recursive: true });
    await mkdir(path.join(home, ".claude"));
    const file = path.join(home, "dotfiles/.claude/settings.json");
    await writeFile(file, before);
    await chmod(file, 0o664);
    await symlink("../dotfiles/.claude/settings.json", path.join(home, ".claude/settings.json"));
    assert.equal((await init(["--user", "--yes", "claude-code", "--auto-allow"])).code, 0);
    const text = await readFile(file, "utf8");
    assert.ok(text.startsWith(before.replace("\r\n}\r\n", ",")), text);
    assert.match(text, /'\/opt\/glove box\/glovebox' hook claude-code --auto-allow \|\| exit 2/u);
    assert.equal((await stat(file)).mode & 0o777, 0o664);
    // Once more with another flag: what comes back is still the first state.
    assert.equal((await init(["--user", "--yes", "claude-code"])).code, 0);
    assert.equal((await init(["--user", "--undo", "claude-code"])).code, 0);
    assert.equal(await readFile(file, "utf8"), before);
    assert.equal((await stat(file)).mode & 0o777, 0o664);
  });
});

test("nothing is written without a yes: no terminal, another answer, --json; each with the code of set-up", async () => {
  await inWorld(async ({ project, init }) => {
    for (const [words, options] of [
      [[], {}],
      [[], { answer: () => "no" }],
      [[], { answer: () => undefined }],
      [["--json"], { answer: () => "yes" }],
    ] as const) {
      const call = await init([...words, "codex"], options);
      assert.equal(call.code, 122, call.err());
    }
    assert.deepEqual(await readdir(project), [".git"]);
    const agreed = await init(["codex"], { answer: (shown) => (shown.includes(`${project}/.codex/hooks.json`) ? "y\n" : "no") });
    assert.equal(agreed.code, 0, agreed.err());
  });
});

test("colour is for a terminal, and what stands in the file cannot paint", async () => {
  await inWorld(async ({ project, init }) => {
    await mkdir(path.join(project, ".claude"));
    await writeFile(path.join(project, ".claude/settings.json"), '{\n  "a": "\u202E\u009B2J"\n}\n');
    const plain = await init(["claude-code"]);
    assert.ok(!plain.out().includes("\u001B"));
    assert.ok(!plain.out().includes("\u202E"));
    const painted = await init(["claude-code"], { terminals: ["stdout"] });
    assert.ok(painted.out().includes("\u001B[32m+"));
    assert.ok(!painted.out().includes("\u009B"));
  });
});

test("an edited file is not put back, and one that changes while the person reads is not written", async () => {
  await inWorld(async ({ project, init }) => {
    const file = path.join(project, ".cursor/hooks.json");
    await init(["--yes", "cursor"]);
    await writeFile(file, `${await readFile(file, "utf8")}\n`);
    const edited = await readFile(file, "utf8");
    const call = await init(["--undo", "cursor"]);
    assert.equal(call.code, 2);
    assert.match(call.err(), /CHANGES_EDITED/u);
    assert.equal(await readFile(file, "utf8"), edited);
    await writeFile(file, "{}");
    const racing = await init(["cursor"], { answer: () => (writeFileSync(file, '{"version": 1}'), "yes") });
    assert.equal(racing.code, 2, racing.err());
    assert.equal(await readFile(file, "utf8"), '{"version": 1}');
  });
});

test("a link out of the project or the home directory, and what is no settings file, is refused and stays", async () => {
  await inWorld(async ({ home, project, init }) => {
    const outside = path.join(path.dirname(home), "outside");
    await mkdir(outside);
    const given = '{"mine": true}';
    await writeFile(path.join(outside, "settings.json"), given);
    await symlink(outside, path.join(project, ".claude"));
    await mkdir(path.join(project, ".codex"));
    await symlink(path.join(outside, "new.json"), path.join(project, ".codex/hooks.json"));
    // Inside, but by a name that a command could write.
    await mkdir(path.join(project, "shared"));
    await writeFile(path.join(project, "shared/hooks.json"), "{}");
    await symlink("shared", path.join(project, ".cursor"));
    for (const [name] of agents) assert.equal((await init(["--yes", name])).code, 2, name);
    assert.equal(await readFile(path.join(outside, "settings.json"), "utf8"), given);
    assert.deepEqual(await readdir(outside), ["settings.json"]);
    const moved = await init(["--yes", "--user", "codex"], { env: { CODEX_HOME: outside } });
    assert.equal(moved.code, 2);
    const inside = await init(["--yes", "--user", "codex"], { env: { CODEX_HOME: path.join(home, "codex") } });
    assert.equal(inside.code, 0, inside.err());
    assert.deepEqual(await readdir(path.join(home, "codex")), ["hooks.json"]);
  });
});

test("settings that cannot be understood, or in which a hook would be idle, are refused with the line or the key", async () => {
  await inWorld(async ({ project, init }) => {
    const rows: readonly (readonly [name: string, text: string | Buffer, said: RegExp])[] = [
      ["claude-code", '{\n"a": }', /line 2/u],
      ["claude-code", "", /line 1/u],
      ["claude-code", Buffer.from([0x7b, 0xff]), /not JSON/u],
      ["claude-code", "[]", /./u],
      ["claude-code", '{"hooks": []}', /hooks/u],
      ["claude-code", '{"hooks": {"PreToolUse": [1]}}', /hooks\.PreToolUse\.0/u],
      ["claude-code", '{"disableAllHooks": true}', /disableAllHooks/u],
      ["claude-code", " ".repeat(2 ** 20 + 1), /1048576/u],
      ["codex", "{} // a comment", /comments/u],
      ["claude-code", '{"a": 1,}', /commas/u],
      ["cursor", '{"hooks": {"preToolUse": {}}}', /hooks\.preToolUse/u],
    ];
    for (const [name, text, said] of rows) {
      const file = path.join(project, agents.find(([agent]) => agent === name)?.[1] ?? "");
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
      const call = await init(["--yes", name]);
      assert.equal(call.code, 2, String(text).slice(0, 40));
      assert.match(call.err(), said);
      assert.deepEqual(await readFile(file), Buffer.from(text));
    }
  });
});

test("inside of a sandbox nothing is set up or undone, whatever is agreed to", async () => {
  await inWorld(async ({ project, init }) => {
    for (const words of [["--yes", "claude-code"], ["--undo", "claude-code"], ["generic"], ["--user", "--yes", "codex"]]) {
      const call = await init(words, { isInsideSandbox: true, answer: () => "yes" });
      assert.deepEqual([call.code, call.out(), call.doorOpened], [122, "", 0]);
    }
    assert.deepEqual(await readdir(project), [".git"]);
  });
});

test("generic shows a shell and tools; names and flags that mean nothing are refused", async () => {
  await inWorld(async ({ init }) => {
    const call = await init(["generic"]);
    assert.match(call.out(), /^ {2}SHELL='\/opt\/glove box\/agent-shell'$/mu);
    assert.match(call.out(), /"args":\["mcp","serve"\]/u);
    for (const words of [["other"], ["--undo", "generic"], ["--user", "--project", ".", "codex"], ["--auto-allow", "--yes", "codex"]]) {
      assert.equal((await init(words)).code, 2, words.join(" "));
    }
    const undone = await init(["--undo", "generic"]);
    assert.match(undone.err(), /Cannot undo "generic": .*\n.*\n.*one of claude-code, codex, cursor$/mu);
  });
});
