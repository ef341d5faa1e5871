// The life of a container: its limits, its end, the death of whoever opened it or of its runtime. Nothing is left, at whatever step it comes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { reapContainerSandbox, type RuntimeName } from "../../src/boundaries/container/container.ts";
import type { Sandbox } from "../../src/contracts/boundary.ts";
import type { Limits } from "../../src/contracts/limits.ts";
import { findCgroups, groupsOfRuntime } from "../../src/linux/cgroups.ts";
import { containerSpec, openContained, project, runContained } from "./container-fixture.ts";
import { processesWith } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

const mebibyte = 2 ** 20;
const sh = (script: string) => ["sh", "-c", script] as const;

async function startAndSee(sandbox: Sandbox, script: string): Promise<void> {
  const execution = await sandbox.exec({ argv: [...sh(script)], cwd: project });
  for await (const { bytes } of execution.output) if (Buffer.from(bytes).includes("ready")) return;
  assert.fail("the command ended before it was ready");
}

/** Who owns what the whole machine shares, and what its owner lets others do. */
const devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];
const ownersOfDevices = (): readonly object[] =>
  devices.map((device) => statSync(device)).map(({ uid, gid, mode }) => ({ uid, gid, mode }));

for (const runtime of linuxRuntimes) {
  test(`${runtime}: the machine's devices stay whose they are`, async () => {
    const before = ownersOfDevices();
    const sandbox = await openContained(runtime);
    assert.equal((await runContained(sandbox, ["echo", "here"])).output, "here\n");
    assert.deepEqual(ownersOfDevices(), before);
    await sandbox.close();
    assert.deepEqual(ownersOfDevices(), before);
  });

  test(`${runtime}: close() leaves no process and no control group, whatever ran`, async () => {
    const spec = containerSpec();
    const groups = [...findCgroups(spec.sandboxId).map(({ directory }) => directory), ...groupsOfRuntime(spec.sandboxId)];
    const sandbox = await openContained(runtime, spec);
    await startAndSee(sandbox, 'trap "" TERM; setsid sh -c "trap \\"\\" TERM; sleep 1000" & (sleep 1000 &) ; echo ready; sleep 1000');
    assert.ok((await sandbox.stats()).processes >= 3);
    assert.equal(groups.some(existsSync), findCgroups(spec.sandboxId).length > 0);
    await sandbox.close();
    assert.equal((await sandbox.stats()).processes, 0);
    assert.deepEqual(await processesWith(spec.sandboxId), []);
    assert.deepEqual(groups.filter(existsSync), []);
    assert.deepEqual(await reapContainerSandbox({ sandboxId: spec.sandboxId, cgroups: [] }), { processes: 0, cgroups: 0 });
  });

  const exhausting: readonly (readonly [string, Partial<Limits>, string])[] = [
    ["memory", { memoryBytes: 128 * mebibyte }, "python3 -c 'x = bytearray(512 << 20)'; sleep 5"],
    ["disk", { diskBytes: 8 * mebibyte }, "head -c 64M /dev/zero > /tmp/filled; sleep 5"],
    ["processes", { processes: 8 }, "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 5 & done; sleep 5"],
    ["cpuTime", { cpuMs: 300 }, "while :; do :; done"],
  ];
  for (const [limit, limits, script] of exhausting) {
    test(`${runtime}: ${limit} is a limit that is seen used up, and a second container answers meanwhile`, async () => {
      const sandbox = await openContained(runtime, containerSpec(limits));
      const other = await openContained(runtime);
      const running = runContained(sandbox, [...sh(script)]);
      running.catch(() => {});
      const hit = await sandbox.exhausted;
      assert.equal(hit.limit, limit);
      assert.equal((await runContained(other, ["echo", "alive"])).output, "alive\n");
      await sandbox.close();
      await other.close();
    });
  }

  test(`${runtime}: one process is few enough for a container to open`, async () => {
    const sandbox = await openContained(runtime, containerSpec({ processes: 1 }));
    assert.equal((await runContained(sandbox, ["echo", "alone"])).output, "alone\n");
    await sandbox.close();
  });

  test(`${runtime}: a command loses its container when the runtime is killed`, async () => {
    const sandbox = await openContained(runtime);
    const execution = await sandbox.exec({ argv: ["sleep", "1000"], cwd: project });
    const pids = await processesWith(`glovebox-${sandbox.id}`);
    assert.equal(pids.length, 1);
    process.kill(Number(pids[0]), "SIGKILL");
    assert.equal((await execution.exit).kind, "lost");
    await assert.rejects(sandbox.exec({ argv: ["true"], cwd: project }), { code: "SANDBOX_CLOSED" });
    await sandbox.close();
    await waitUntil("the end of the container", async () => (await processesWith(sandbox.id)).length === 0);
  });
}

/** Opens a container, tells of each journalled object and of the end, and stops for good at the given step. */
const opener = `
const { openContainerBoundary } = await import(process.argv[1]);
const { containerOptions } = await import(process.argv[2]);
const { runtime, spec, step } = JSON.parse(process.argv[3]);
let passed = 0;
const stop = async (line) => {
  console.log(line);
  if ((passed += 1) === step) await new Promise(() => { setInterval(() => {}, 1000); });
};
const journal = (object) => stop(JSON.stringify(object));
const sandbox = await openContainerBoundary(containerOptions(runtime)).open(spec, { signal: new AbortController().signal, journal });
await stop("opened");
await sandbox.exec({ argv: ["sh", "-c", "(setsid sleep 300 &); sleep 300"], cwd: spec.projectDirectory });
await stop("running");
process.exit(0);
`;
const here = import.meta.dirname;

/** @returns what was journalled before the kill, and whether there was such a step */
async function killAt(runtime: RuntimeName, sandboxSpec: ReturnType<typeof containerSpec>, step: number) {
  const words = [path.join(here, "../../src/boundaries/container/container.ts"), path.join(here, "../fixtures/container-options.ts")];
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", opener, ...words, JSON.stringify({ runtime, spec: sandboxSpec, step })],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const said: string[] = [];
  let text = "";
  for await (const chunk of child.stdout) {
    text += String(chunk);
    said.splice(0, said.length, ...text.split("\n").slice(0, -1));
    if (said.length === step) child.kill("SIGKILL");
  }
  return { said, cgroups: said.flatMap((line) => /"cgroup","name":"([^"]+)"/u.exec(line)?.[1] ?? []) };
}

/** Nothing is left of it. @returns the steps that it passed */
async function killAndReap(runtime: RuntimeName, step: number): Promise<readonly string[]> {
  const spec = containerSpec();
  const { said, cgroups } = await killAt(runtime, spec, step);
  const isGone = async (): Promise<boolean> => (await processesWith(spec.sandboxId)).length === 0;
  await waitUntil(`the end of the container killed at step ${step}`, isGone);
  await reapContainerSandbox({ sandboxId: spec.sandboxId, cgroups });
  assert.deepEqual(cgroups.filter(existsSync), []);
  assert.deepEqual(await reapContainerSandbox({ sandboxId: spec.sandboxId, cgroups }), { processes: 0, cgroups: 0 });
  return said;
}

for (const runtime of linuxRuntimes) {
  test(`${runtime}: kill -9 of whoever opens a container leaves nothing behind, at its first step and at its last ones`, async () => {
    // Killed by nobody, it leaves without closing.
    const whole = await killAndReap(runtime, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(whole.slice(-2), ["opened", "running"]);
    for (const step of [1, whole.length - 1, whole.length]) assert.equal((await killAndReap(runtime, step)).length, step);
  });

  test(`${runtime}: the reaper ends a running container by its marks, and nothing that only looks like it`, async (context) => {
    const sandbox = await openContained(runtime);
    const execution = await sandbox.exec({ argv: ["sleep", "1000"], cwd: project });
    const lookalike = spawn("/bin/sh", ["-c", "read line", `glovebox-${sandbox.id}`, `--sandbox=${sandbox.id}`], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    context.after(() => lookalike.kill());
    assert.ok((await reapContainerSandbox({ sandboxId: sandbox.id, cgroups: [] })).processes >= 2);
    assert.equal((await execution.exit).kind, "lost");
    assert.equal(lookalike.exitCode ?? lookalike.signalCode, null);
    await sandbox.close();
  });
}
