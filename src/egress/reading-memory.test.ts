// A connection reads into more memory while it is fast, and the connections of a sandbox together into no more than theirs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ExtraMemory, ReadingMemory } from "./reading-memory.ts";

const kib = 1024;

function fill(memory: ReadingMemory, times: number): number {
  for (let read = 0; read < times; read += 1) memory.adapt(memory.bytes.length);
  return memory.bytes.length;
}

test("adapt() gives more while reads fill what there is, up to 1 MiB, and takes it back when they do not", () => {
  const memory = new ReadingMemory(new ExtraMemory(8 << 20));
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
  const extra = new ExtraMemory(1024 * kib);
  const [first, second] = [new ReadingMemory(extra), new ReadingMemory(extra)];
  assert.equal(fill(first, 9), 1024 * kib);
  assert.equal(fill(second, 9), 16 * kib);
  first.release();
  first.release();
  assert.equal(fill(second, 9), 1024 * kib);
  assert.equal(fill(first, 9), 16 * kib);
});
