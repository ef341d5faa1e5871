// `glovebox run` at a real terminal: line ends, the keyboard, and the keys that end a command. The terminal is made by script(1).
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { atTerminal, type Typing } from "../fixtures/at-terminal.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

/** What a person sees of `glovebox run FLAGS -- sh -c SCRIPT`, typing as told. */
async function runAtTerminal(t: TestContext, flags: string, script: string, typings: readonly Typing[] = []): Promise<string> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-terminal-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  await mkdir(project);
  const line = `'${process.execPath}' '${commandLine}' run --quiet ${flags} --project '${project}' --cwd '${project}' -- sh -c '${script}'`;
  return (await atTerminal(line, { environment: { XDG_STATE_HOME: base }, typings })).seen;
}

test("a command with a terminal of its own has plain line ends on ours", async (t) => {
  const seen = await runAtTerminal(t, "", "echo one; echo two");
  assert.ok(seen.startsWith("one\r\ntwo\r\n"), JSON.stringify(seen));
});

test("ctrl-] three times ends a command that takes every ctrl-c as a key", async (t) => {
  const loop = 'trap "echo got" INT; echo ready; while :; do sleep 0.1; done';
  const seen = await runAtTerminal(t, "", loop, [
    { after: "ready", keys: "\u0003" },
    { after: "got", keys: "\u001D\u001D\u001D" },
  ]);
  assert.match(seen, /got[^]*ended with everything it started/u);
});

test("a command without a terminal of its own reads the keyboard line by line, to its end", async (t) => {
  const seen = await runAtTerminal(t, "--no-pty", "echo ready; read line; echo [$line]; cat; echo over", [
    { after: "ready", keys: "typed\n" },
    { after: "[typed]", keys: "more\n\u0004" },
  ]);
  assert.match(seen, /\[typed\]\r\n[^]*more\r\nover\r\n$/u);
});
