// A connection reads into more memory while it is fast, the connections of a sandbox together into no more than theirs, and one after the other into the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReadingMemory, SandboxMemory } from "./reading-memory.ts";

const kib = 1024;

function fill(memory: ReadingMemory, times: number): number {
  for (let read = 0; read < times; read += 1) memory.adapt(memory.bytes.length);
  return memory.bytes.length;
}

test("adapt() gives more while reads fill what there is, up to 1 MiB, and takes it back when they do not", () => {
  const memory = new ReadingMemory(new SandboxMemory(8 << 20));
  assert.equal(memory.bytes.length, 16 * kib);
  memory.adapt(16 * kib - 1);
  assert.equal(memory.bytes.length, 16 * kib);
  assert.equal(fill(memory, 1), 64 * kib);
  assert.equal(fill(memory, 9), 1024 * kib);
  memory.adapt(65 * kib);
  assert.equal(memory.bytes.length, 1024 * kib);
  for (let read = 0; read < 9; read += 1) memory.adapt(1);
  assert.equal(memory.bytes.length, 16 * kib);
});

test("adapt() gives nothing beyond what the sandbox may have, until another connection gives back", () => {
  const sandbox = new SandboxMemory(1024 * kib);
  const [first, second, third] = [new ReadingMemory(sandbox), new ReadingMemory(sandbox), new ReadingMemory(sandbox)];
  assert.equal(fill(first, 9), 1024 * kib);
  assert.equal(fill(second, 9), 16 * kib);
  first.release(false);
  first.release(false);
  assert.equal(fill(second, 9), 1024 * kib);
  assert.equal(fill(third, 9), 16 * kib);
});

test("release() leaves its memory to the next connection of the same sandbox, and of no other", () => {
  const sandbox = new SandboxMemory(8 << 20);
  const first = new ReadingMemory(sandbox);
  const { bytes } = first;
  first.release(false);
  first.release(false);
  assert.notEqual(new ReadingMemory(new SandboxMemory(8 << 20)).bytes, bytes);
  assert.equal(new ReadingMemory(sandbox).bytes, bytes);
  assert.notEqual(new ReadingMemory(sandbox).bytes, bytes);
});

test("release() leaves to nobody what is still being sent, and what has grown", () => {
  const sandbox = new SandboxMemory(8 << 20);
  const [lent, grown] = [new ReadingMemory(sandbox), new ReadingMemory(sandbox)];
  const { bytes } = lent;
  fill(grown, 1);
  const next = new ReadingMemory(sandbox);
  lent.release(true);
  grown.release(false);
  const after = [new ReadingMemory(sandbox).bytes, new ReadingMemory(sandbox).bytes];
  assert.ok(!after.includes(bytes) && !after.includes(next.bytes));
  assert.deepEqual(new Set(after.map(({ length }) => length)), new Set([16 * kib]));
});

test("a sandbox keeps no more memory for connections to come than they use at once", () => {
  const sandbox = new SandboxMemory(8 << 20);
  const crowd = Array.from({ length: 100 }, () => new ReadingMemory(sandbox));
  const known = new Set(crowd.map(({ bytes }) => bytes));
  for (const memory of crowd) memory.release(false);
  const again = Array.from({ length: 100 }, () => new ReadingMemory(sandbox).bytes);
  assert.equal(again.filter((bytes) => known.has(bytes)).length, 64);
});
