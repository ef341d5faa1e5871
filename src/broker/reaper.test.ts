// Tests that the reaper removes what a dead owner's journal names, and nothing of a live one or outside our own directories.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { Ledger } from "../contracts/ledger.ts";
import { makeSandboxId, makeTaskId, type SandboxId, type TaskId } from "../contracts/ids.ts";
import { processStartTime } from "../kit/process-identity.ts";
import { reapAbandonedTasks, type ReaperParts, type TryLock } from "./reaper.ts";
import { prepareState, stateLayout, type StateLayout } from "./state-layout.ts";
import { openTaskJournal } from "./task-journal.ts";

const { uid } = userInfo();
const freeLock: TryLock = () => Promise.resolve({ release: () => {} });
const boot = "boot-1";

interface Scene {
  readonly layout: StateLayout;
  readonly parts: ReaperParts;
  readonly recorded: unknown[];
  readonly reaped: SandboxId[];
  leave(owner: { pid: number; startTime: string; boot: string }): Promise<TaskId>;
}

async function scene(t: TestContext): Promise<Scene> {
  const base = await mkdtemp(path.join(tmpdir(), "glovebox-reaper-"));
  t.after(() => rm(base, { recursive: true }));
  const layout = stateLayout({ uid, home: base }, { XDG_STATE_HOME: base });
  prepareState(layout, uid);
  const recorded: unknown[] = [];
  const reaped: SandboxId[] = [];
  const append: Ledger["append"] = (record) => {
    recorded.push(record.body);
    return Promise.resolve({ seq: recorded.length, leaf: "" });
  };
  const unused = (): never => assert.fail("the reaper only appends");
  const ledger: Ledger = {
    append,
    commit: unused,
    openCommitments: unused,
    openSealer: async () => (_, bytes) => bytes,
    seal: unused,
    close: unused,
  };
  const parts: ReaperParts = {
    layout,
    boot,
    ledger,
    reapSandbox: (sandbox) => Promise.resolve({ processes: reaped.push(sandbox), cgroups: 2 }),
    nowMs: () => 0,
  };
  const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
  const leave: Scene["leave"] = async (owner) => {
    const task = makeTaskId(ids);
    const journal = await openTaskJournal(layout.tasks, task, makeSandboxId(ids), owner);
    await journal.record({ kind: "socket", name: path.join(layout.runtime, "s.sock") });
    await journal.close();
    return task;
  };
  return { layout, parts, recorded, reaped, leave };
}

async function self(): Promise<{ pid: number; startTime: string; boot: string }> {
  return { pid: process.pid, startTime: (await processStartTime(process.pid)) ?? assert.fail(), boot };
}

test("reapAbandonedTasks() removes what a dead owner's journal names, and records it", async (t) => {
  const { layout, parts, recorded, reaped, leave } = await scene(t);
  const task = await leave({ ...(await self()), startTime: "1" });
  await writeFile(path.join(layout.runtime, "s.sock"), "");
  assert.deepEqual(await reapAbandonedTasks(parts, freeLock), [task]);
  assert.deepEqual(await readdir(layout.tasks), []);
  assert.deepEqual(await readdir(layout.runtime), []);
  assert.equal(reaped.length, 1);
  assert.deepEqual(recorded, [{ processes: 1, directories: 1, sockets: 1, cgroups: 2, mounts: 0 }]);
});

test("reapAbandonedTasks() leaves a live owner's task alone", async (t) => {
  const { parts, leave } = await scene(t);
  await leave(await self());
  assert.deepEqual(await reapAbandonedTasks(parts, freeLock), []);
});

test("reapAbandonedTasks() takes an owner of an earlier boot for dead", async (t) => {
  const { parts, leave } = await scene(t);
  const task = await leave({ ...(await self()), boot: "boot-0" });
  assert.deepEqual(await reapAbandonedTasks(parts, freeLock), [task]);
});

test("reapAbandonedTasks() does nothing while another process reaps", async (t) => {
  const { layout, parts, leave } = await scene(t);
  await leave({ ...(await self()), startTime: "1" });
  assert.deepEqual(await reapAbandonedTasks(parts, () => Promise.resolve(undefined)), []);
  assert.equal((await readdir(layout.tasks)).length, 1);
});

test("reapAbandonedTasks() removes a journal that was still being made, but only when its maker is gone", async (t) => {
  const { layout, parts } = await scene(t);
  const { pid, startTime } = await self();
  const id = "t-000000000001-00000000000a";
  await mkdir(path.join(layout.tasks, `.new.${pid}.${startTime}.${id}`));
  await mkdir(path.join(layout.tasks, `.new.${pid}.1.${id}`));
  assert.equal((await reapAbandonedTasks(parts, freeLock)).length, 1);
  assert.deepEqual(await readdir(layout.tasks), [`.new.${pid}.${startTime}.${id}`]);
});

test("reapAbandonedTasks() never removes a path outside our own directories, whatever a journal says", async (t) => {
  const { layout, parts, leave } = await scene(t);
  const outside = path.join(path.dirname(layout.state), "precious");
  await mkdir(outside);
  const task = await leave({ ...(await self()), startTime: "1" });
  const line = `${JSON.stringify({ entry: "object", kind: "directory", name: outside })}\n`;
  await writeFile(path.join(layout.tasks, task, "journal.jsonl"), line, { flag: "a" });
  const dotted = `${JSON.stringify({ entry: "object", kind: "directory", name: `${layout.tasks}/../../precious` })}\n`;
  await writeFile(path.join(layout.tasks, task, "journal.jsonl"), dotted, { flag: "a" });
  assert.deepEqual(await reapAbandonedTasks(parts, freeLock), [task]);
  assert.ok((await readdir(path.dirname(outside))).includes("precious"));
});
