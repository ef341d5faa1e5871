// The proof of being an ordinary user must be able to fail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeIdentity, readIdentity } from "./identity.ts";

const status = (uid: number, capabilities: string): string => `Name:\tx\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\nCapEff:\t${capabilities}\n`;

test("judgeIdentity() accepts an ordinary user without capabilities", () => {
  assert.deepEqual(judgeIdentity(readIdentity(status(1000, "0000000000000000"))).count, { passed: 2, failed: 0, skipped: 0 });
});

test("judgeIdentity() fails root, and a user with one capability", () => {
  assert.equal(judgeIdentity(readIdentity(status(0, "000001ffffffffff"))).count.failed, 2);
  assert.equal(judgeIdentity(readIdentity(status(1000, "0000000000000400"))).count.failed, 1);
});

test("judgeIdentity() fails what it cannot read", () => {
  assert.equal(judgeIdentity(readIdentity("")).count.failed, 2);
});
