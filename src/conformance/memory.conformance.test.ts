// The memory boundary through the suite.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSandboxId, makeTaskId } from "../contracts/ids.ts";
import { openMemoryBoundary } from "../boundaries/memory/memory.ts";
import { conformanceCases, type ConformanceTarget, judgeCase, memoryDialect, runConformance } from "./conformance.ts";
import { deviationsOf } from "./deviations.ts";
import { roomyLimits } from "../contracts/testing/limits.ts";

const ids = { nowMs: () => 1, randomBytes: () => new Uint8Array(6) };

const target: ConformanceTarget = {
  name: "memory",
  boundary: openMemoryBoundary(),
  dialect: memoryDialect,
  makeSpec: (environment) =>
    Promise.resolve({
      spec: {
        taskId: makeTaskId(ids),
        sandboxId: makeSandboxId(ids),
        projectDirectory: "/project",
        privateDirectory: "/private",
        paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: ["/project"], denyWrite: [] },
        environment: { PATH: "/usr/bin:/bin", ...environment },
        limits: roomyLimits,
        user: { uid: 1000, gid: 1000, name: "someone", home: "/home/someone" },
      },
      release: () => Promise.resolve(),
    }),
};

for (const one of conformanceCases) {
  test(`memory boundary: ${one.name}`, async () => {
    await judgeCase(one, target, deviationsOf.memory);
  });
}

test("judgeCase() fails a deviation that no longer deviates", async () => {
  const [first] = conformanceCases;
  assert.ok(first !== undefined);
  await assert.rejects(judgeCase(first, target, [{ case: first.name, reason: "was broken once" }]), /Stale deviation/u);
});

test("runConformance() reports a deviation that names no case", async () => {
  const results = await runConformance(target, [...deviationsOf.memory, { case: "no such case", reason: "" }]);
  assert.deepEqual(
    results.filter(({ outcome }) => outcome === "fails").map((result) => result.case),
    ["no such case"],
  );
  assert.ok(results.length > 20);
});
