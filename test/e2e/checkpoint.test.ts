// Checkpoints of an open sandbox: what came after one is shown and undone alone, and nothing that came before it. INVARIANT I-10
import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { processStartTime } from "../../src/kit/process-identity.ts";
import { serveBroker, shell } from "../fixtures/served-broker.ts";

const hasCode = (code: string) => ({ code });

/** Every path below a directory with its permissions and content. */
function picture(directory: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted()) {
    const file = path.join(directory, name);
    const status = lstatSync(file);
    const content = status.isFile() ? readFileSync(file, "utf8") : status.isSymbolicLink() ? readlinkSync(file) : "";
    found[name] = `${status.mode.toString(8)} ${content}`;
  }
  return found;
}

const early = `echo early > both; echo early > early-only; echo early > made; rm gone; chmod 600 mode; mkdir -p tree/deep
echo early > tree/deep/file; ln -s both link; mv moved moved-early; echo early > back; echo early > went`;
const late = `echo late > both; echo late > late-only; rm made; echo late > gone; chmod 755 mode; rm -r tree; mkdir tree
rm link; ln -s elsewhere link; mv moved-early moved-late; printf 'before\\n' > back; rm went; mkdir went; echo late > went/in; echo late > fresh`;

test("what came after a checkpoint is shown and undone alone", async (t) => {
  const served = await serveBroker(t);
  for (const name of ["both", "early-only", "late-only", "gone", "mode", "moved", "back", "untouched"])
    await writeFile(path.join(served.project, name), "before\n", { mode: 0o644 });
  const access = await served.open();
  const { sandboxes } = served.broker;
  assert.equal((await shell(served, access, early)).result.exitCode, 0);
  const atCheckpoint = picture(served.project);
  const made = await sandboxes.checkpoint(access);
  assert.deepEqual([made.checkpoint, made.task, made.missed], [1, access.task, 0]);
  assert.equal((await shell(served, access, late)).result.exitCode, 0);
  assert.equal((await sandboxes.checkpoint(access)).checkpoint, 2);
  const ofAll = { task: access.task, paths: [] };
  await assert.rejects(served.door.undo({ ...ofAll, isPartial: false }), hasCode("USAGE_INVALID"), "a task that is open");
  await sandboxes.end(access);

  await assert.rejects(served.door.undo({ ...ofAll, since: 3, isPartial: false }), hasCode("USAGE_INVALID"), "no such checkpoint");
  const nothing = await served.door.undo({ ...ofAll, since: 2, isPartial: false });
  assert.deepEqual([nothing.restored, nothing.refused], [[], []]);
  const shown = await served.door.diff({ ...ofAll, since: 1, isBrief: false });
  const both = shown.entries.find(({ change }) => change.path.endsWith("/both"));
  assert.deepEqual(both?.lines?.slice(-2), ["-early", "+late"]);
  assert.ok(!shown.entries.some(({ change }) => /early-only|untouched/u.test(change.path)));

  await served.door.undo({ ...ofAll, since: 1, isPartial: false });
  assert.deepEqual(picture(served.project), atCheckpoint);
  assert.equal((await served.door.verify({})).exit, 0);
});

test("a file that somebody edited after the task stops an undo to a checkpoint", async (t) => {
  const served = await serveBroker(t);
  const access = await served.open();
  await shell(served, access, "echo early > file");
  await served.broker.sandboxes.checkpoint(access);
  await shell(served, access, "echo late > file");
  await served.broker.sandboxes.end(access);
  await writeFile(path.join(served.project, "file"), "mine\n");
  const undone = served.door.undo({ task: access.task, paths: [], since: 1, isPartial: false });
  await assert.rejects(undone, hasCode("CHANGES_EDITED"));
  assert.equal(readFileSync(path.join(served.project, "file"), "utf8"), "mine\n");
});

test("a checkpoint can be undone to when the broker was killed, and bounds hold", async (t) => {
  const served = await serveBroker(t);
  await mkdir(path.join(served.project, "src"));
  const access = await served.open();
  await shell(served, access, "echo early > src/file; truncate -s 17M large; mkfifo pipe");
  const made = await served.broker.sandboxes.checkpoint(access);
  assert.equal(made.keptBytes, "early\n".length, "what is larger than 16 MiB is listed, its content is not kept");
  await shell(served, access, "echo late > src/file; echo more >> large");
  for (let count = 2; count <= 32; count += 1) await served.broker.sandboxes.checkpoint(access);
  await assert.rejects(served.broker.sandboxes.checkpoint(access), hasCode("SANDBOX_LIMIT"));
  const broker = await served.pid();
  process.kill(broker, "SIGKILL");
  // Its tasks are reaped only when it is gone; while the kernel takes it down it still counts.
  while ((await processStartTime(broker)) !== undefined) await delay(10);
  const file = path.join(served.project, "src/file");
  const selection = { task: access.task, paths: [file], since: 1 };
  await served.door.undo({ ...selection, isPartial: false });
  assert.equal(readFileSync(file, "utf8"), "early\n");
  const large = { ...selection, paths: [path.join(served.project, "large")] };
  await assert.rejects(served.door.undo({ ...large, isPartial: false }), hasCode("CHANGES_NOT_KEPT"));
});

test("nobody makes a checkpoint without the sandbox's token", async (t) => {
  const served = await serveBroker(t);
  const access = await served.open();
  const foreign = { ...access, token: "0".repeat(64) };
  await assert.rejects(served.broker.sandboxes.checkpoint(foreign), hasCode("SANDBOX_UNKNOWN"));
});
