// readTouchRecords(): what a guard writes, and that no bytes whatever make it throw, hang or believe a name that is no path.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as holds, constantFrom, integer, property, tuple, uint8Array } from "fast-check";
import { readTouchRecords } from "./touch-records.ts";

function head(length: number, type: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(length, 0);
  bytes.writeUInt8(type, 4);
  return bytes;
}

function pathRecord(path: string, fields: { readonly mode: number; readonly inode: bigint; readonly command?: number }): Buffer {
  const body = Buffer.alloc(72 + Buffer.byteLength(path));
  body.writeUInt32LE(fields.command ?? 1, 0);
  body.writeUInt32LE(fields.mode, 4);
  body.writeUInt32LE(1, 8);
  body.writeBigUInt64LE(fields.inode, 24);
  body.writeUInt32LE(Buffer.byteLength(path), 64);
  body.write(path, 72);
  return Buffer.concat([head(body.length, 1), body]);
}

function contentRecord(inode: bigint, bytes: string): Buffer {
  const body = Buffer.alloc(40);
  body.writeBigUInt64LE(inode, 8);
  body.writeBigUInt64LE(BigInt(bytes.length), 24);
  return Buffer.concat([head(40 + bytes.length, 2), body, Buffer.from(bytes)]);
}

function againRecord(path: string, command: number): Buffer {
  const body = Buffer.alloc(4);
  body.writeUInt32LE(command, 0);
  return Buffer.concat([head(4 + path.length, 3), body, Buffer.from(path)]);
}

const header = Buffer.concat([Buffer.from("GBTOUCH1"), Buffer.alloc(24)]);

function read(...records: readonly Buffer[]) {
  const log = Buffer.concat([header, ...records]);
  return readTouchRecords((offset, length) => log.subarray(offset, offset + length), log.length);
}

test("readTouchRecords() gives the first state of each path, its content and its commands", () => {
  const found = read(
    pathRecord("/w/a", { mode: 0o100644, inode: 7n }),
    contentRecord(7n, "before"),
    pathRecord("/w/new", { mode: 0, inode: 0n }),
    againRecord("/w/a", 2),
  );
  const state = found.before.get("/w/a");
  assert.equal(state?.inode, "7");
  assert.equal(found.contents.get(state?.identity ?? "")?.length, 6);
  assert.deepEqual([found.before.has("/w/new"), found.before.get("/w/new")], [true, undefined]);
  assert.deepEqual([found.commands.get("/w/a"), found.missed], [[1, 2], 0]);
});

test("readTouchRecords() stops at a record that is not right and counts it", () => {
  const good = pathRecord("/w/a", { mode: 0o100644, inode: 7n });
  for (const bad of ["/w/../etc", "w/a", "/w//a", "/w/./a", "/w/a/"]) {
    const found = read(good, pathRecord(bad, { mode: 0, inode: 0n }), pathRecord("/w/b", { mode: 0, inode: 0n }));
    assert.deepEqual([[...found.before.keys()], found.missed], [["/w/a"], 1], bad);
  }
  assert.equal(read(againRecord("/w/unknown", 1)).missed, 1);
  assert.equal(read(head(0, 0)).missed, 1);
  assert.equal(read(contentRecord(1n, "cut").subarray(0, 50)).missed, 1);
  assert.equal(readTouchRecords(() => Buffer.alloc(0), 0).missed, 0);
  assert.equal(readTouchRecords(() => Buffer.alloc(32), 32).missed, 1);
});

test("readTouchRecords() never throws and yields only paths, whatever the bytes are", () => {
  const valid = Buffer.concat([pathRecord("/w/a", { mode: 0o100644, inode: 7n }), contentRecord(7n, "x"), againRecord("/w/a", 3)]);
  const mutated = tuple(integer({ min: 0, max: valid.length - 1 }), integer({ min: 0, max: 255 }), constantFrom(0, 1, 2)).map(
    ([at, value, copies]) => {
      const bytes = Buffer.from(valid);
      bytes[at] = value;
      return Buffer.concat([bytes, ...Array.from({ length: copies }, () => valid)]);
    },
  );
  const check = (bytes: Uint8Array): void => {
    const found = read(Buffer.from(bytes));
    for (const path of found.before.keys()) assert.match(path, /^\//u);
  };
  holds(property(mutated, check), { numRuns: 2000 });
  holds(property(uint8Array({ maxLength: 300 }), check), { numRuns: 1000 });
});
