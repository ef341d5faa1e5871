// What makes a lane fail although no case failed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addCounts, countLine, judgeLane, nothing, parseCountLine } from "./lane-count.ts";

const good = { strict: true, exitCode: 0, overran: false };

test("judgeLane() keeps a lane whose cases passed", () => {
  assert.deepEqual(judgeLane({ passed: 3, failed: 0, skipped: 0 }, good), { count: { passed: 3, failed: 0, skipped: 0 }, complaints: [] });
});

test("judgeLane() fails a lane without a case", () => {
  const { count, complaints } = judgeLane(nothing, good);
  assert.equal(count.failed, 1);
  assert.match(complaints.join(), /no case/u);
});

test("judgeLane() fails a skipped case on a test machine only", () => {
  const counted = { passed: 1, failed: 0, skipped: 2 };
  assert.equal(judgeLane(counted, good).count.failed, 1);
  assert.equal(judgeLane(counted, { ...good, strict: false }).count.failed, 0);
});

test("judgeLane() fails a process that ended badly although no case failed", () => {
  assert.equal(judgeLane({ passed: 1, failed: 0, skipped: 0 }, { ...good, exitCode: 7 }).count.failed, 1);
  assert.equal(judgeLane({ passed: 1, failed: 0, skipped: 0 }, { ...good, exitCode: null, overran: true }).count.failed, 1);
  assert.equal(judgeLane({ passed: 1, failed: 1, skipped: 0 }, { ...good, exitCode: 1 }).count.failed, 1);
});

test("parseCountLine() reads the last line only", () => {
  const count = { passed: 12, failed: 3, skipped: 0 };
  assert.deepEqual(parseCountLine(`noise\n1 passed, 0 failed\n${countLine(count)}\n`), count);
  assert.equal(parseCountLine("1 passed, 0 failed\nthen a crash\n"), undefined);
  assert.equal(parseCountLine("xx1 passed, 0 failed"), undefined);
});

test("addCounts() sums every column", () => {
  assert.deepEqual(addCounts({ passed: 1, failed: 2, skipped: 3 }, { passed: 10, failed: 20, skipped: 30 }), {
    passed: 11,
    failed: 22,
    skipped: 33,
  });
});
