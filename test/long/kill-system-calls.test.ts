// kill -9 at system calls: strace ends whichever thread or process of a run first makes its nth call that changes a file, for every n until a run
// comes through. The broker, the launcher, bubblewrap and the guard are all hit. INVARIANT I-09, I-11
import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { assertAftermath, installation, makeScene, observeScene } from "../fixtures/kill-aftermath.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const program = path.join(installation, "test/fixtures/run-and-die.ts");
const changing =
  "write,pwrite64,writev,pwritev,fsync,fdatasync,ftruncate,mkdir,rename,renameat2,unlink,unlinkat,rmdir,mount,sendmsg,?sendto";
/** How many n were visited when this was last looked at. */
const recordedPoints = 60;

test("a kill -9 at any changing system call of a run leaves nothing, loses no record and is cleaned up by the next start", async (t) => {
  const base = await mkdtemp(path.join(os.tmpdir(), "glovebox-kill-"));
  t.after(() => removeScratch(base));
  let visited = 0;
  for (let nth = 1; ; nth += 1) {
    const scene = await makeScene(base);
    const before = observeScene(scene);
    const strace = ["-f", "-qqq", "-o", "/dev/null", "-e", `trace=${changing}`, "-e", `inject=${changing}:signal=SIGKILL:when=${nth}`];
    const words = ["-c", '"$@"; exit $?', "sh", "/usr/bin/strace", ...strace, process.execPath, program, "0", scene.project];
    const { code, stderr } = await capture("/bin/sh", words, {
      environment: { ...scene.environment, UV_THREADPOOL_SIZE: "1" },
      timeoutMs: 120_000,
    });
    if (code === 0) break;
    assert.ok(code !== 127, stderr);
    await assertAftermath(scene, before, `system call ${nth}`);
    visited += 1;
  }
  t.diagnostic(`visited ${visited} system call boundaries`);
  assert.ok(visited >= recordedPoints, `visited ${visited}, ${recordedPoints} are recorded`);
});
