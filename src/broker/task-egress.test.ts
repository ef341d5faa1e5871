// New rules for a running task, against a gate that is still deciding by those before. INVARIANT I-06, I-12
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { EgressEvent } from "../contracts/egress-record.ts";
import { makeActionId, makeSandboxId, makeTaskId } from "../contracts/ids.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { Serving } from "../egress/egress.ts";
import { processStartTime } from "../kit/process-identity.ts";
import { loadPolicy } from "../policy/policy.ts";
import { DenialCount } from "./denial-count.ts";
import { openTaskEgress, type TaskEgress } from "./task-egress.ts";

function policyOf(more = ""): CompiledPolicy {
  const text = `apiVersion: glovebox/v1\n${more}\negress: [{id: api, hosts: [a.test], verdict: ask}]\n`;
  return loadPolicy([{ origin: "user", label: "x", format: "yaml", text }], { home: "/h", projectDirectory: "/p" });
}

const approved: EgressEvent = { verdict: "allow", reason: "approved", host: "a.test", port: 443, via: "captured", protocols: ["https"] };

interface Scene {
  readonly egress: TaskEgress;
  readonly recorded: readonly string[];
  /** The gate's side. */
  readonly serving: () => Serving;
}

/** @param whileReloading what the gate says before it has taken the new rules */
async function openScene(t: TestContext, whileReloading: (serving: Serving) => Promise<number>): Promise<Scene> {
  const pendingDirectory = await mkdtemp(path.join(os.tmpdir(), "glovebox-egress-"));
  t.after(() => rm(pendingDirectory, { recursive: true }));
  const recorded: string[] = [];
  const given: Serving[] = [];
  const serving = (): Serving => given[0] ?? assert.fail("the gate was told nothing");
  const gate = {
    serve: (_sandbox: string, _rules: unknown, heard: Serving) => {
      given.push(heard);
      const endpoint = { attach: async () => {}, refused: () => {}, close: async () => {} };
      return { endpoint, summary: new Promise<undefined>(() => {}), reload: () => whileReloading(heard) };
    },
  };
  const ids = { nowMs: () => 1, randomBytes: (length: number) => new Uint8Array(length) };
  const egress = openTaskEgress({
    gate: () => gate,
    network: { hosts: {} },
    policy: policyOf(),
    about: { task: makeTaskId(ids), action: makeActionId(ids) },
    sandbox: makeSandboxId(ids),
    denials: new DenialCount(100),
    record: {
      connection: async ({ reason }, approval) => void recorded.push(`${reason} ${approval === undefined ? "" : "by a person"}`),
      rulesReplaced: async () => void recorded.push("replaced"),
      approvalAsked: async () => {},
      approvalAnswered: async () => {},
    },
    ids,
    clock: { wallMs: () => 1, monotonicNs: () => 1n, bootId: "b" },
    owner: { pid: process.pid, startTime: (await processStartTime(process.pid)) ?? "", boot: "b" },
    pendingDirectory,
    ask: async () => ({ answer: "granted", by: "other-terminal" }),
    caller: new AbortController().signal,
  });
  assert.ok(egress !== undefined);
  return { egress, recorded, serving };
}

const grant = ({ serving }: Scene) =>
  serving().ask({ about: { host: "a.test", port: 443, protocols: ["https"], via: "captured", rule: "api" }, clientPort: undefined });

test("reload() records what the gate lets pass by a person's grant until it has the new rules, and nothing by that grant after", async (t) => {
  const scene = await openScene(t, async (serving) => {
    await serving.record({ about: approved, clientPort: undefined });
    return 3;
  });
  assert.equal(await grant(scene), "granted");
  assert.equal(await scene.egress.reload(policyOf("limits: {openFiles: 100}")), 3);
  assert.deepEqual(scene.recorded, ["approved by a person", "replaced"]);
  await assert.rejects(scene.serving().record({ about: approved, clientPort: undefined }), TypeError);
});

test("reload() of a gate that is gone is refused, and records no change", async (t) => {
  const scene = await openScene(t, () => Promise.reject(new Error("The gate ended")));
  await assert.rejects(scene.egress.reload(policyOf()), { code: "WALL_UNAVAILABLE", situation: "sandbox.gate-gone" });
  assert.deepEqual(scene.recorded, []);
});
