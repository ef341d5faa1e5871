// Two runs at once: both work, both record, neither waits for the other's command, and the ledger proves afterwards.
import assert from "node:assert/strict";
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import { capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");

test("two `glovebox run` at once both run, both record, and neither waits for the other", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-two-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  const environment = { XDG_STATE_HOME: base, PATH: "/usr/local/bin:/usr/bin:/bin" };
  await capture("/bin/mkdir", [project]);
  const run = (script: string) =>
    capture(process.execPath, [commandLine, "run", "--quiet", "--project", project, "--cwd", project, "--", "sh", "-c", script], {
      environment,
      timeoutMs: 120_000,
    });
  // Each waits for the other's file: only two that run side by side can end.
  const meet = (own: string, other: string): string => `echo > ${own}; until test -e ${other}; do sleep 0.05; done; echo met ${other}`;
  const [first, second] = await Promise.all([run(meet("a", "b")), run(meet("b", "a"))]);
  assert.deepEqual([first.code, first.stdout, second.code, second.stdout], [0, "met b\n", 0, "met a\n"], first.stderr + second.stderr);
  const door = composeDoor({ environment, installation });
  const records = await door.records({ limit: 100 });
  const tasks = new Set(records.map((record) => record.task).filter((task) => task !== undefined));
  assert.equal(tasks.size, 2);
  for (const task of tasks) {
    const types = records.filter((record) => record.task === task).map((record) => record.type);
    assert.deepEqual(types.toReversed(), [
      "policy.decision",
      "execution.opened",
      "execution.ended",
      "execution.changes",
      "execution.closed",
      "result.returned",
    ]);
  }
  assert.equal((await door.verify({})).exit, 0);
});
