// `glovebox prove`: claims beside probe and observation, the missing wall named, the exit code by the verdict.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { fakeProof, fakeProofReport } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const reportSchema = z.looseObject({ proofs: z.array(z.looseObject({ inside: z.unknown() })) });

test("prove shows the claim with probe, observation and wall, and exits with 0 when all hold", async () => {
  const call = await callCli(["prove", "--policy", "p.yaml"], { cwd: "/usr" });
  assert.equal(call.code, 0);
  assert.deepEqual(call.door.calls, [{ method: "prove", values: [{ projectDirectory: "/usr", policyFile: "/usr/p.yaml" }] }]);
  assert.match(call.out(), /held a file beside the project cannot be changed\n {6}inside: write \/tmp\/beside -> ENOENT\n {6}host: /u);
  assert.match(call.out(), /held by: bubblewrap, landlock/u);
});

test("prove exits with 122 and names the wall when a claim does not hold", async () => {
  const proofs = [{ ...fakeProof, verdict: "not-held" as const, heldBy: [], missing: ["bubblewrap" as const] }];
  const report = { ...fakeProofReport, holds: false, proofs, missingWalls: ["bubblewrap" as const] };
  const call = await callCli(["prove"], { cwd: "/usr", door: { prove: async () => report } });
  assert.equal(call.code, 122);
  assert.match(call.out(), /NOT HELD/u);
  assert.match(call.out(), /Walls that were not seen standing: bubblewrap/u);
});

test("prove --json gives each sentence as key, values and text", async () => {
  const call = await callCli(["prove", "--json"], { cwd: "/usr" });
  const { proofs } = reportSchema.parse(JSON.parse(call.out()));
  assert.deepEqual(proofs[0]?.inside, { key: "proof.inside.answered", values: { answer: "ENOENT" }, text: "ENOENT" });
});
