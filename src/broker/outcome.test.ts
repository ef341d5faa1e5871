// Tests how an ending becomes an outcome word and an exit code, row by row.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExitReport } from "../contracts/boundary.ts";
import { childOf, exitCodeOf, outcomeOf } from "./outcome.ts";

const usage = { userMs: 0, systemMs: 0, maxRssBytes: 0 };
const exited = (code: number): ExitReport => ({ kind: "exited", code, usage });
const signalled = (signal: number): ExitReport => ({ kind: "signalled", signal, usage });
const plain = { limitHits: [], isCancelled: false };

const rows: readonly (readonly [string, Parameters<typeof outcomeOf>[0], string, number])[] = [
  ["a clean exit", { ...plain, exit: exited(0) }, "ok", 0],
  ["the child's own code", { ...plain, exit: exited(7) }, "failed", 7],
  ["a child that uses one of our codes", { ...plain, exit: exited(120) }, "failed", 120],
  ["a signal", { ...plain, exit: signalled(11) }, "failed", 139],
  ["a program that does not exist", { ...plain, exit: { kind: "not-started", code: 127, errno: "ENOENT" } }, "failed", 127],
  ["a file that cannot be executed", { ...plain, exit: { kind: "not-started", code: 126, errno: "EACCES" } }, "failed", 126],
  ["a lost sandbox", { ...plain, exit: { kind: "lost", reason: "guard" } }, "lost", 125],
  ["a cancelled run", { ...plain, isCancelled: true, exit: signalled(15) }, "cancelled", 143],
  ["wall time", { limitHits: [{ limit: "wall", allowed: 1, observed: 2 }], isCancelled: false, exit: signalled(15) }, "timeout", 124],
  ["the output limit", { limitHits: [{ limit: "output", allowed: 1, observed: 2 }], isCancelled: false, exit: signalled(9) }, "limit", 123],
];

for (const [name, ending, outcome, exitCode] of rows) {
  test(`outcomeOf() and exitCodeOf() say ${outcome} and ${exitCode} for ${name}`, () => {
    assert.equal(outcomeOf(ending), outcome);
    assert.equal(exitCodeOf(ending), exitCode);
  });
}

test("childOf() keeps apart a start directory and a program that could not be used", () => {
  const program = { kind: "not-started" as const, code: 126 as const, errno: "EACCES" };
  assert.deepEqual(childOf(program), { kind: "not-started", value: 126 });
  assert.deepEqual(childOf({ ...program, stage: "directory" }), { kind: "not-started", value: 126, stage: "directory" });
});
