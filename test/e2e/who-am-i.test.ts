// A command's idea of who it is agrees with itself: environment, user database and kernel say the same, for root's sandboxes too.
import assert from "node:assert/strict";
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

test("USER, LOGNAME, id and the owner of new files agree inside", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-who-")));
  t.after(() => removeScratch(base));
  const project = await mkdtemp(path.join(base, "project-"));
  const script = 'echo > file; echo "$USER $LOGNAME $(id -un) $(stat -c %U file) $(stat -c %u:%g file | grep -cx "$(id -u):$(id -g)")"';
  const words = [commandLine, "run", "--quiet", "--project", project, "--cwd", project, "--", "sh", "-c", script];
  const { stdout, stderr } = await capture(process.execPath, words, {
    environment: { XDG_STATE_HOME: base, PATH: "/usr/bin:/bin", USER: "somebody", LOGNAME: "somebody" },
    timeoutMs: 120_000,
  });
  const [user, ...others] = stdout.trim().split(" ");
  const name = process.getuid?.() === 0 ? "sandbox" : os.userInfo().username;
  assert.equal(user, name, stderr);
  assert.deepEqual(others, [name, name, name, "1"]);
});
