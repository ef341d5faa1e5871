// A thousand sandboxes opened, used and closed by one process leave nothing on the host and nothing in the process. INVARIANT I-09
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { openBenchSandbox, runTrue } from "../../bench/open.ts";
import { findCgroups } from "../../src/linux/cgroups.ts";
import { observe } from "../fixtures/observe/observe.ts";
import { assertNothingLeft } from "../fixtures/residue.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const rounds = 1000;

async function descriptors(): Promise<number> {
  return (await readdir("/proc/self/fd")).length;
}

/** @returns control groups of the sandbox that are left */
async function openUseClose(base: string): Promise<readonly string[]> {
  const { sandbox, project, privateDirectory } = await openBenchSandbox(base);
  await runTrue(sandbox, project);
  await sandbox.close();
  await rm(privateDirectory, { recursive: true });
  return findCgroups(sandbox.id)
    .map(({ directory }) => directory)
    .filter((directory) => existsSync(directory));
}

test("a thousand sandboxes leave no process, mount, namespace, control group, socket, file or descriptor", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-thousand-")));
  t.after(() => removeScratch(base));
  for (let round = 0; round < 10; round += 1) await openUseClose(base); // what is made once and kept is made now
  const look = () => observe({ directories: [base], ancestors: [process.pid] });
  const before = { seen: look(), descriptors: await descriptors() };
  for (let round = 0; round < rounds; round += 1) assert.deepEqual(await openUseClose(base), []);
  assertNothingLeft(before.seen, look());
  assert.equal(await descriptors(), before.descriptors);
});
