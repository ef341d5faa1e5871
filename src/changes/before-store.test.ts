// The store of bytes from before: what is written is read back across pieces, damage is noticed, and expiry goes by the name alone.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { taskIdSchema } from "../contracts/ids.ts";
import { expireKept, keptUntil, openBefore, openBeforeWriter } from "./before-store.ts";

const task = taskIdSchema.parse("t-0193f0c2a1b2-4d5e6f708192");
const until = "2030-01-01";
const flip = (name: string, bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ (0x5a + name.length));

function directory(t: TestContext): string {
  const root = mkdtempSync(path.join(tmpdir(), "glovebox-before-"));
  t.after(() => rm(root, { recursive: true }));
  return root;
}

test("openBefore() reads what its writer wrote, also across pieces, and nothing of a damaged piece", async (t) => {
  const root = directory(t);
  const writer = await openBeforeWriter({ root, task, until }, flip);
  const large = Buffer.alloc(9 * 1024 * 1024, "large ");
  writer.append(Buffer.from("first"));
  const offset = writer.offset;
  writer.append(large);
  const pieces = writer.finish();
  assert.equal(pieces.length, 3);
  const reader = openBefore({ root, task, until }, pieces, flip);
  assert.equal(reader.read(0, 5)?.toString(), "first");
  assert.deepEqual(reader.read(offset, large.length), large);
  assert.equal(reader.read(offset, large.length + 1), undefined);
  writeFileSync(path.join(root, `${task}.${until}`, "1"), "damaged");
  assert.equal(openBefore({ root, task, until }, pieces, flip).read(offset, large.length), undefined);
});

test("openBeforeWriter() makes nothing until there are bytes, and takes away what an earlier try left", async (t) => {
  const root = directory(t);
  mkdirSync(path.join(root, `${task}.${until}`));
  const writer = await openBeforeWriter({ root, task, until }, flip);
  assert.deepEqual([readdirSync(root), writer.finish()], [[], []]);
});

test("openBefore() takes no piece of a checkpoint for one of the task or of another checkpoint", async (t) => {
  const root = directory(t);
  const named = (name: string, bytes: Uint8Array): Uint8Array => Buffer.concat([Buffer.from(`${name}:`), bytes]);
  const unnamed = (name: string, bytes: Uint8Array): Uint8Array | undefined =>
    Buffer.from(bytes).toString().startsWith(`${name}:`) ? bytes.subarray(name.length + 1) : undefined;
  const write = async (checkpoint: number | undefined) => {
    const writer = await openBeforeWriter({ root, task, until, checkpoint }, named);
    writer.append(Buffer.from("bytes"));
    return writer.finish();
  };
  const pieces = { task: await write(undefined), first: await write(1) };
  assert.equal(openBefore({ root, task, until, checkpoint: 1 }, pieces.first, unnamed).read(0, 5)?.toString(), "bytes");
  const swapped = readFileSync(path.join(root, `${task}.${until}`, "0"));
  writeFileSync(path.join(root, `${task}.${until}.1`, "0"), swapped);
  assert.equal(openBefore({ root, task, until, checkpoint: 1 }, pieces.task, unnamed).read(0, 5), undefined);
});

test("expireKept() removes whose last day is over, and no other name", async (t) => {
  const root = directory(t);
  for (const name of [`${task}.2026-01-01`, `${task}.2026-01-02`, `${task}.2026-01-01.3`, "strange", `${task}.never`])
    mkdirSync(path.join(root, name));
  assert.equal(await expireKept(root, Date.parse("2026-01-02T12:00:00Z")), 2);
  assert.deepEqual(readdirSync(root).toSorted(), [`${task}.2026-01-02`, `${task}.never`, "strange"].toSorted());
  assert.equal(await expireKept(path.join(root, "absent"), 0), 0);
});

test("keptUntil() is 30 days at most", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  assert.deepEqual([keptUntil(now, 400), keptUntil(now, 2)], ["2026-01-31", "2026-01-03"]);
});
