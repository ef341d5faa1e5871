// Unit tests of the lock between processes; two lock objects stand for two processes (SQLite treats them alike).
import assert from "node:assert/strict";
import { mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { isPresent } from "./is-present.ts";
import { ProcessLock } from "./process-lock.ts";

async function withFile(body: (file: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), "glovebox-lock-"));
  try {
    await body(path.join(directory, "broker.lock"));
  } finally {
    await rm(directory, { recursive: true });
  }
}

test("ProcessLock.take() excludes a second holder and gives up after its wait", async () => {
  await withFile(async (file) => {
    const first = new ProcessLock(file);
    const second = new ProcessLock(file);
    const release = await first.take(1000);
    assert.ok(release);
    assert.equal(await second.take(20), undefined);
    release();
    const later = await second.take(1000);
    assert.ok(later);
    later();
    first.close();
    second.close();
  });
});

test("ProcessLock.take() by the same object waits too", async () => {
  await withFile(async (file) => {
    const lock = new ProcessLock(file);
    const release = await lock.take(1000);
    const second = lock.take(1000);
    release?.();
    assert.ok(await second);
    lock.close();
  });
});

test("ProcessLock.take() lets a waiter in between the takes of a greedy holder", async () => {
  await withFile(async (file) => {
    const greedy = new ProcessLock(file);
    const patient = new ProcessLock(file);
    let release = await greedy.take(1000);
    const waiter = { arrived: false };
    const wait = async (): Promise<void> => {
      const done = await patient.take(5000);
      waiter.arrived = true;
      done?.();
    };
    const waiting = wait();
    let rounds = 0;
    while (!waiter.arrived && rounds < 1000) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      release?.();
      release = await greedy.take(5000);
      rounds += 1;
    }
    await waiting;
    release?.();
    assert.ok(rounds < 50, `the waiter came in after ${rounds} rounds`);
    greedy.close();
    patient.close();
  });
});

test("ProcessLock.take() needs no turn where nobody can be waiting", async () => {
  await withFile(async (file) => {
    const lock = new ProcessLock(file);
    (await lock.take(1000))?.();
    assert.equal(isPresent(`${file}.turn`), false);
    lock.close();
  });
});

test("ProcessLock writes nothing, is private, and notices that its file was replaced", async () => {
  await withFile(async (file) => {
    const old = new ProcessLock(file);
    (await old.take(1000))?.();
    const facts = await stat(file);
    assert.equal(facts.size, 0);
    assert.equal(facts.mode & 0o777, 0o600);
    await rename(file, `${file}.away`);
    const fresh = new ProcessLock(file);
    const release = await fresh.take(1000);
    assert.ok(release);
    assert.equal(await old.take(20), undefined);
    release();
    old.close();
    fresh.close();
  });
});
