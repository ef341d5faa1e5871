// From the line that the captive network's program fails with to what a person reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { captiveError, captiveFailure } from "./captive-failure.ts";

test("captiveFailure() finds the line among others and names what repairs the step", () => {
  assert.deepEqual(captiveFailure("bwrap: x\ncaptive: rules EOPNOTSUPP\n"), {
    detail: "rules EOPNOTSUPP",
    fix: { key: "wall.fix.captive-rules" },
  });
  assert.deepEqual(captiveFailure("captive: seal EPERM\n")?.fix, { key: "wall.fix.setup" });
});

test("captiveFailure() finds none in what others say", () => {
  assert.equal(captiveFailure("not captive: rules EPERM\nlauncher: uid 1 EEXIST\n"), undefined);
  assert.equal(captiveError("bwrap: Unknown option --x"), undefined);
});

test("captiveError() is a wall that is not there", () => {
  const error = captiveError("captive: links EPERM\n");
  assert.deepEqual([error?.code, error?.situation], ["WALL_UNAVAILABLE", "wall.captive"]);
});
