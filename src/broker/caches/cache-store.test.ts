// Package caches of projects: who gets which, and that none is taken from under a task, grows without end, or stays for ever. INVARIANT I-10, I-16
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { ProjectCaches } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { makeSandboxId, makeTaskId } from "../../contracts/ids.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import { prepareState, stateLayout, type StateLayout } from "../state-layout.ts";
import { openTaskJournal, type TaskJournal } from "../task-journal.ts";
import { cacheDaysMax, cacheIdOf, expireCaches, listCaches, removeCaches, trimCache } from "./cache-store.ts";
import { canKeepCaches, openProjectCaches } from "./project-caches.ts";

const { uid } = userInfo();
const dayMs = 86_400_000;
const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };

interface Scene {
  readonly layout: StateLayout;
  readonly parts: { readonly layout: StateLayout; readonly nowMs: () => number };
  readonly project: (name: string) => string;
  /** @returns the caches of a task, and how it leaves */
  readonly task: (project: string) => Promise<{ readonly caches: ProjectCaches; readonly leave: () => Promise<void> }>;
  nowMs: number;
}

async function openScene(t: TestContext): Promise<Scene> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "glovebox-caches-")));
  const open = new Set<TaskJournal>();
  t.after(async () => {
    for (const journal of open) await journal.close();
    await removeTree(base, { parent: path.dirname(base) });
  });
  const layout = stateLayout({ uid, home: base }, { XDG_STATE_HOME: base });
  prepareState(layout, uid);
  const scene: Scene = {
    nowMs: 100 * cacheDaysMax * dayMs,
    layout,
    parts: { layout, nowMs: () => scene.nowMs },
    project: (name) => {
      const directory = path.join(base, "projects", name);
      mkdirSync(directory, { recursive: true });
      return directory;
    },
    task: async (project) => {
      const owner = { pid: process.pid, startTime: "1", boot: "b" };
      const journal = await openTaskJournal(layout.tasks, makeTaskId(ids), makeSandboxId(ids), owner);
      open.add(journal);
      const caches = await openProjectCaches(scene.parts, { project, names: ["npm", "cargo"], journal });
      assert.ok(caches !== undefined);
      const leave = async (): Promise<void> => {
        open.delete(journal);
        await journal.close();
        await removeTree(journal.directory, { parent: layout.tasks });
      };
      return { caches, leave };
    },
  };
  return scene;
}

const failsWith = (code: string) => (error: unknown) => error instanceof GloveboxError && error.code === code;
const left = ({ layout }: Scene): readonly string[] => readdirSync(layout.cache).filter((name) => !name.startsWith("lock"));

test("openProjectCaches() gives two tasks of a project the same places, and another project none of them", async (t) => {
  const scene = await openScene(t);
  const [first, second] = [await scene.task(scene.project("a")), await scene.task(scene.project("a"))];
  const other = await scene.task(scene.project("b"));
  assert.deepEqual(first.caches, second.caches);
  assert.deepEqual(
    first.caches.places.map(({ inside }) => inside),
    [".npm/_cacache", ".cargo/registry", ".cargo/git", ".cargo/.package-cache"],
  );
  const taken = new Set(first.caches.places.map(({ source }) => source));
  assert.ok(other.caches.places.every(({ source }) => !taken.has(source) && existsSync(source)));
});

test("openProjectCaches() opens nothing for a policy that names none", async (t) => {
  const scene = await openScene(t);
  const journal = await openTaskJournal(scene.layout.tasks, makeTaskId(ids), makeSandboxId(ids), { pid: 1, startTime: "1", boot: "b" });
  assert.equal(await openProjectCaches(scene.parts, { project: scene.project("a"), names: [], journal }), undefined);
  assert.equal(journal.cache, undefined);
  await journal.close();
  assert.deepEqual(left(scene), []);
});

test("cacheIdOf() of another directory at the same path is another", async (t) => {
  const scene = await openScene(t);
  const project = scene.project("a");
  const before = cacheIdOf(project);
  renameSync(project, `${project}-moved`);
  assert.notEqual(cacheIdOf(scene.project("a")), before);
});

test("openProjectCaches() opens again what a task closed to itself", async (t) => {
  const scene = await openScene(t);
  const { caches } = await scene.task(scene.project("a"));
  for (const { source } of caches.places) chmodSync(source, 0);
  await scene.task(scene.project("a"));
  assert.deepEqual(
    caches.places.map(({ source }) => statSync(source).mode & 0o777),
    [0o700, 0o700, 0o700, 0o600],
  );
});

test("removeCaches() refuses what a task has, and removes what none has with nothing left", async (t) => {
  const scene = await openScene(t);
  const { caches, leave } = await scene.task(scene.project("a"));
  const closed = path.join(caches.places[0]?.source ?? "", "closed");
  mkdirSync(closed);
  writeFileSync(path.join(closed, "file"), "x");
  chmodSync(closed, 0o500);
  await assert.rejects(removeCaches(scene.parts, [caches.id]), failsWith("STATE_BUSY"));
  await assert.rejects(removeCaches(scene.parts, ["c-none"]), failsWith("USAGE_INVALID"));
  await leave();
  assert.deepEqual(await removeCaches(scene.parts, [caches.id]), [caches.id]);
  assert.deepEqual(left(scene), []);
});

test("trimCache() begins one anew that has grown too large, but not while a task has it", async (t) => {
  const scene = await openScene(t);
  const [first, second] = [await scene.task(scene.project("a")), await scene.task(scene.project("a"))];
  writeFileSync(path.join(first.caches.places[0]?.source ?? "", "file"), Buffer.alloc(1 << 20, 1));
  await first.leave();
  await trimCache(scene.parts, first.caches.id, 1 << 20);
  assert.deepEqual(left(scene), [first.caches.id]);
  await second.leave();
  await trimCache(scene.parts, first.caches.id, 2 << 20);
  assert.deepEqual(left(scene), [first.caches.id], "it is small enough");
  await trimCache(scene.parts, first.caches.id, 1 << 20);
  assert.deepEqual(left(scene), []);
});

test("expireCaches() removes what nobody has used for thirty days, and nothing that a task has", async (t) => {
  const scene = await openScene(t);
  const [idle, busy] = [await scene.task(scene.project("idle")), await scene.task(scene.project("busy"))];
  await idle.leave();
  scene.nowMs += (cacheDaysMax - 1) * dayMs;
  assert.equal(await expireCaches(scene.parts), 0);
  scene.nowMs += 2 * dayMs;
  assert.equal(await expireCaches(scene.parts), 1);
  assert.deepEqual(left(scene), [busy.caches.id]);
});

test("expireCaches() removes that of a directory which is gone or another one now", async (t) => {
  const scene = await openScene(t);
  const [moved, stays] = [await scene.task(scene.project("moved")), await scene.task(scene.project("stays"))];
  for (const { leave } of [moved, stays]) await leave();
  renameSync(scene.project("moved"), `${scene.project("moved")}-away`);
  scene.project("moved");
  assert.equal(await expireCaches(scene.parts), 1);
  assert.deepEqual(left(scene), [stays.caches.id]);
});

test("listCaches() says whose each is, when it was used and whether a task has it", async (t) => {
  const scene = await openScene(t);
  const { leave } = await scene.task(scene.project("a"));
  await leave();
  scene.nowMs += 1000;
  await scene.task(scene.project("b"));
  const listed = await listCaches(scene.parts);
  assert.deepEqual(
    listed.map(({ project, isInUse, lastUsed }) => [path.basename(project ?? ""), isInUse, lastUsed]),
    [
      ["b", true, new Date(scene.nowMs).toISOString()],
      ["a", false, new Date(scene.nowMs - 1000).toISOString()],
    ],
  );
});

test("canKeepCaches() asks about the directory that is to come by the one above it", () => {
  assert.equal(canKeepCaches("/nowhere/at/all", 1000), true);
  assert.equal(canKeepCaches("/proc/nowhere", 0), true);
});
