// `glovebox checklist`: numbered points with verdict and evidence; what is not built is said and does not fail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeChecklist } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

test("checklist shows each point with its verdict and evidence, and exits with 0 when only something is not built", async () => {
  const call = await callCli(["checklist"], { cwd: "/usr" });
  assert.equal(call.code, 0);
  assert.match(call.out(), /^ 1\. held {6}Every command goes through the broker\n {6}- the request and its decision are in the ledger$/mu);
  assert.match(call.out(), /^ 2\. not built /mu);
  assert.match(call.out(), /1 held, 0 not held, 1 not built/u);
});

test("checklist exits with 122 when a point is not held", async () => {
  const points = fakeChecklist.points.map((point) => ({ ...point, verdict: "not-held" as const }));
  const call = await callCli(["checklist"], { cwd: "/usr", door: { checklist: async () => ({ ...fakeChecklist, holds: false, points }) } });
  assert.equal(call.code, 122);
  assert.match(call.out(), /^ 1\. NOT HELD /mu);
});
