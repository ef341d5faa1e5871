// A disk that is full, or nearly so, under the state: nothing starts, and it says why. INVARIANT I-11
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

/** The state on a file system of its own of `bytes` bytes; the project elsewhere. */
async function runWithRoom(t: TestContext, bytes: number): Promise<Captured & { readonly made: readonly string[] }> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-full-")));
  t.after(() => removeScratch(base));
  const [project, state] = [path.join(base, "project"), path.join(base, "state")];
  await mkdir(project);
  await mkdir(state);
  const machine = ["--dev-bind", "/", "/", "--size", String(bytes), "--tmpfs", state, "--"];
  const words = [process.execPath, commandLine, "run", "--quiet", "--project", project, "--cwd", project, "--", "touch", "ran"];
  const ended = await capture("/usr/bin/bwrap", [...machine, ...words], {
    environment: { XDG_STATE_HOME: state, PATH: "/usr/bin:/bin" },
    timeoutMs: 120_000,
  });
  return { ...ended, made: await readdir(project) };
}

for (const kibibytes of [16, 64, 256, 900]) {
  test(`with ${kibibytes} KiB under the state nothing starts, code LEDGER_UNWRITABLE`, async (t) => {
    const { code, stderr, made } = await runWithRoom(t, kibibytes * 1024);
    assert.equal(code, 125, stderr);
    assert.match(stderr, /LEDGER_UNWRITABLE/u);
    assert.deepEqual(made, []);
  });
}

test("with room under the state the same command runs: the control of this file", async (t) => {
  const { code, stderr, made } = await runWithRoom(t, 16 * 1024 * 1024);
  assert.equal(code, 0, stderr);
  assert.deepEqual(made, ["ran"]);
});
