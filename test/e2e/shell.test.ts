// `glovebox shell` at a real terminal: one sandbox, the keyboard, signals, window size, the shell's own exit code, and the sheet at its end.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { atTerminal, codeIn, type TerminalRun, type Typing } from "../fixtures/at-terminal.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

interface Shell extends TerminalRun {
  readonly project: string;
}

async function shell(
  t: TestContext,
  typings: readonly Typing[],
  options: { readonly flags?: string; readonly before?: string } = {},
): Promise<Shell> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-shell-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  await mkdir(project);
  const words = `shell ${options.flags ?? ""} --project '${project}' --cwd '${project}'`;
  const line = `${(options.before ?? "").replace("PROJECT", project)} exec '${process.execPath}' '${commandLine}' ${words}`;
  return { project, ...(await atTerminal(line, { environment: { XDG_STATE_HOME: base, NO_COLOR: "1" }, typings })) };
}

const prompt = /[$#] $/u;

test("a shell runs command after command in one sandbox, and its exit code is ours", async (t) => {
  const { seen, code, project } = await shell(t, [
    { after: prompt, keys: "echo $((6*7)) > file; echo kept > $TMPDIR/x\n" },
    { after: /x[^]*[$#] $/u, keys: "cat $TMPDIR/x; tty; exit 7\n" },
  ]);
  assert.equal(code, 7, seen);
  assert.equal(await readFile(path.join(project, "file"), "utf8"), "42\n");
  assert.match(seen, /kept\r\n\/dev\/pts\/\d+\r\n/u);
  assert.match(seen, /glovebox: [^]*happened[^]*held by/u);
});

test("the shell's terminal has our size, follows it, and gets our keys as signals", async (t) => {
  const loop = `sh -c "trap 'echo cau''ght; exit' INT; echo rea''dy; while :; do sleep 0.1; done"`;
  const follow = 'touch now; until [ "$(stty size)" = "33 88" ]; do sleep 0.05; done; echo fol""lowed';
  const { seen, code } = await shell(
    t,
    [
      { after: prompt, keys: `stty size; ${loop}\n` },
      { after: /31 97\r\n[^]*ready/u, keys: "\u0003" },
      { after: /caught[^]*[$#] $/u, keys: `${follow}\n` },
      { after: /followed[^]*[$#] $/u, keys: "exit\n" },
    ],
    { before: "stty rows 31 cols 97; (until [ -e PROJECT/now ]; do sleep 0.05; done; stty rows 33 cols 88 < /dev/tty) & " },
  );
  assert.equal(code, 0, seen);
});

test("in a shell the walls hold as in a run", async (t) => {
  const { seen, project } = await shell(t, [{ after: prompt, keys: "touch ../planted; cat /etc/shadow; exit\n" }]);
  assert.match(seen, /Read-only file system|No such file or directory|Permission denied/u);
  assert.doesNotMatch(seen, /root:[^\r]*:\d+:/u);
  await assert.rejects(readFile(path.join(project, "../planted")));
});

test("under `regular` the shell itself is asked for", async (t) => {
  const policy = path.join(await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-shell-policy-"))), "p.yaml");
  t.after(() => removeScratch(path.dirname(policy)));
  await capture("/bin/sh", ["-c", `printf 'apiVersion: glovebox/v1\\napproval: regular\\n' > ${policy}`]);
  const { seen, code } = await shell(
    t,
    [
      { after: /refuses: $/u, keys: (shown) => `${codeIn(shown)}\n` },
      { after: /Granted[^]*[$#] $/u, keys: "exit 3\n" },
    ],
    { flags: `--policy ${policy}` },
  );
  assert.equal(code, 3, seen);
  assert.match(seen, /a person granted|and \d+ more/u);
});

test("without a terminal there is no shell", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-shell-")));
  t.after(() => removeScratch(base));
  const environment = { XDG_STATE_HOME: base, PATH: "/usr/bin:/bin" };
  const ended = await capture(process.execPath, [commandLine, "shell", "--project", base, "--cwd", base], { environment, stdin: "id\n" });
  assert.equal(ended.code, 2);
  assert.match(ended.stderr, /not a terminal/u);
});
