// A limit that a run reaches, all the way: exit code, result, record, answer sheet.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { RunResult } from "../../src/contracts/door.ts";
import { recordBodySchemas } from "../../src/contracts/ledger-record.ts";
import { limitNames } from "../../src/contracts/limits.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");
let base = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-limit-")));
  await mkdir(path.join(base, "project"));
});

after(() => removeScratch(base));

const environment = (): Readonly<Record<string, string>> => ({ XDG_STATE_HOME: base, PATH: "/usr/local/bin:/usr/bin:/bin" });

async function run(
  limits: Readonly<Record<string, unknown>>,
  script: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<RunResult> {
  const door = composeDoor({ environment: environment(), installation });
  const projectDirectory = path.join(base, "project");
  const policy = { projectDirectory, overrides: { limits, ...more } };
  try {
    return await door.run(
      { policy, argv: ["sh", "-c", script], cwd: projectDirectory, callerEnvironment: environment() },
      { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} },
    );
  } finally {
    await door.close();
  }
}

test("a run that used a limit up exits with 123, and result, record and sheet name that limit", async () => {
  const result = await run({ processes: 10 }, "while :; do sleep 100 & done");
  const hit = { limit: "processes", allowed: 10, observed: 11 };
  assert.deepEqual([result.exitCode, result.outcome, result.limitHits], [123, "limit", [hit]]);
  assert.equal(result.usage?.peakProcesses, 11);
  const door = composeDoor({ environment: environment(), installation });
  const records = await door.records({ task: result.task, limit: 20 });
  const body = (type: string): unknown => records.find((record) => record.type === type)?.body;
  assert.partialDeepStrictEqual(body("execution.ended"), { limitHits: [hit] });
  assert.partialDeepStrictEqual(body("result.returned"), { outcome: "limit" });
  const happened = (await door.explainTask(result.task)).answers.find(({ question }) => question === "happened")?.lines ?? [];
  assert.deepEqual(happened.find(({ key }) => key === "task.happened.limit")?.values, hit);
  assert.equal(happened.find(({ key }) => key === "task.happened.usage")?.values?.["processes"], 11);
  await door.close();
});

/** Each line is refused once. */
const refusals = {
  "the guard": { lines: ["echo x > .envrc", "echo x > .envrc"], policy: {} },
  "the gate": {
    lines: ["getent hosts two.example.org", "getent hosts three.example.org"],
    policy: { egress: [{ id: "one", hosts: ["one.example.org"], verdict: "allow" }] },
  },
};
for (const [who, { lines, policy }] of Object.entries(refusals)) {
  test(`a run that ${who} refused as often as the policy bears is stopped there, and one that was refused less often is not`, async () => {
    const script = `exec 2> /dev/null; ${lines.join("; ")}; exec sleep 100`;
    const result = await run({ denialsBeforeStop: 2 }, script, policy);
    const hit = { limit: "denials", allowed: 2, observed: 2 };
    assert.deepEqual([result.exitCode, result.outcome, result.limitHits], [123, "limit", [hit]]);
    const door = composeDoor({ environment: environment(), installation });
    const records = await door.records({ task: result.task, limit: 40 });
    await door.close();
    assert.partialDeepStrictEqual(records.find(({ type }) => type === "execution.opened")?.body, {
      limits: [{ limit: "denials", strength: "supervised", allowed: 2 }],
    });
    assert.partialDeepStrictEqual(records.find(({ type }) => type === "execution.ended")?.body, { limitHits: [hit] });
    const less = await run({ denialsBeforeStop: 3 }, `exec 2> /dev/null; ${lines.join("; ")}; exit 7`, policy);
    assert.deepEqual([less.exitCode, less.limitHits], [7, []]);
  });
}

test("a run without limits of its own has the defaults, and its record names each with its strength", async () => {
  const result = await run({}, "true");
  const door = composeDoor({ environment: environment(), installation });
  const opened = (await door.records({ task: result.task, limit: 20 })).find(({ type }) => type === "execution.opened");
  const { limits } = recordBodySchemas["execution.opened"]().parse(opened?.body);
  const set = limitNames.filter((name) => name !== "denials");
  assert.deepEqual(limits.map(({ limit }) => limit).toSorted(), set.toSorted());
  const allowed = Object.fromEntries(limits.map((one) => [one.limit, one.allowed]));
  assert.deepEqual(allowed, {
    cpuTime: 600_000,
    cpuCores: 2000,
    memory: 2 ** 31,
    processes: 256,
    disk: 2 ** 32,
    openFiles: 1024,
    output: 2 ** 26,
    wall: 900_000,
  });
  const held = (await door.explainTask(result.task)).answers.find(({ question }) => question === "held")?.lines ?? [];
  assert.equal(held.filter(({ key }) => key.startsWith("task.held.limit-")).length, set.length);
  await door.close();
});
