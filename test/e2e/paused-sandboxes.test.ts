// Sandboxes that are paused, measured and killed, of both kinds. Root can make control groups on the machines that we test on; an ordinary user may not.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { chmod, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { reapContainerSandbox } from "../../src/boundaries/container/container.ts";
import { composeDoor } from "../../src/compose.ts";
import { canPause } from "../../src/contracts/boundary.ts";
import type { OpenedSandbox, SandboxAccess, SandboxCommand, SandboxCommandResult } from "../../src/contracts/sandbox-door.ts";
import { freezerPlace } from "../../src/linux/cgroups.ts";
import { containerSpec, openContained, project as containedProject } from "./container-fixture.ts";
import { processesWith } from "./process-boundary-fixture.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { waitUntil } from "../fixtures/wait-until.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const isRoot = process.getuid?.() === 0;
const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-paused-")));
await chmod(base, 0o755);
const project = path.join(base, "project");
mkdirSync(project);
const door = composeDoor({ environment: { XDG_STATE_HOME: base }, installation });
const broker = door.holdBroker();
const { sandboxes } = broker;
after(async () => {
  await broker.stop();
  await door.close();
  await removeScratch(base);
});

const kinds: readonly (readonly [string, object])[] = [
  ["process", { boundary: "process" }],
  ["runc", { boundary: "container", container: { runtime: "runc" } }],
  ["crun", { boundary: "container", container: { runtime: "crun" } }],
];

function open(overrides: object): Promise<OpenedSandbox> {
  const policy = { projectDirectory: project, overrides: { ...overrides } };
  return sandboxes.open({ policy, callerEnvironment: {} }, { signal: new AbortController().signal });
}

function exec(
  access: SandboxAccess,
  script: string,
  given: { readonly signal?: AbortSignal; readonly isDetached?: true } = {},
): Promise<SandboxCommandResult> {
  const { signal = new AbortController().signal, isDetached } = given;
  const detached = isDetached === undefined ? {} : { isDetached };
  const command: SandboxCommand = { argv: ["sh", "-c", script], callerEnvironment: {}, environment: {}, ...detached };
  return sandboxes.exec(access, command, { signal, onOutput: async () => {}, onStart: () => {} });
}

const cpuOf = async (access: SandboxAccess): Promise<number> => (await sandboxes.stats(access)).cpuMs ?? assert.fail("nobody counts");

async function recordsOf({ task }: OpenedSandbox): Promise<readonly string[]> {
  const kept = new Set(["execution.paused", "execution.resumed", "execution.closed"]);
  const records = (await door.records({ task, limit: 100 })).toReversed();
  return records.flatMap(({ type, body: { reason } }) => (kept.has(type) ? [typeof reason === "string" ? `${type} ${reason}` : type] : []));
}

for (const [kind, overrides] of kinds) {
  test(`${kind}: what is paused uses no processor until it is resumed, and is ended all the same`, async () => {
    const access = await open(overrides);
    const other = await open({ boundary: "process" });
    const given = new AbortController();
    const waited = exec(access, "while :; do :; done", { signal: given.signal });
    await exec(access, "(while :; do :; done) & while :; do :; done", { isDetached: true });
    await waitUntil("three loops", async () => (await sandboxes.stats(access)).processes === 3);
    await waitUntil("use of a processor", async () => (await cpuOf(access)) > 50);
    if (!isRoot) {
      await assert.rejects(sandboxes.pause(access), { code: "PAUSE_UNAVAILABLE" });
      const before = await cpuOf(access);
      await waitUntil("going on", async () => (await cpuOf(access)) > before + 50);
      await sandboxes.end(access);
      await sandboxes.end(other);
      given.abort();
      await waited;
      assert.deepEqual(await recordsOf(access), ["execution.paused", "execution.resumed", "execution.closed closed"]);
      return;
    }
    await sandboxes.pause(access);
    await sandboxes.pause(access);
    const { cpuMs, isPaused, processes } = await sandboxes.stats(access);
    assert.deepEqual([isPaused, processes], [true, 3]);
    // Two sandboxes' worth of time in which three busy loops would have used some.
    for (let turn = 0; turn < 5; turn += 1) await exec(other, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
    assert.equal(await cpuOf(access), cpuMs);
    await assert.rejects(exec(access, "true"), { code: "SANDBOX_PAUSED" });
    await assert.rejects(sandboxes.connect(access, 1), { code: "SANDBOX_PAUSED" });
    assert.equal((await sandboxes.list()).find(({ sandbox }) => sandbox === access.sandbox)?.isPaused, true);
    given.abort();
    assert.equal((await waited).outcome, "cancelled");
    await waitUntil("the end of what was cancelled", async () => (await sandboxes.stats(access)).processes === 2);
    await sandboxes.resume(access);
    await sandboxes.resume(access);
    await waitUntil("going on", async () => (await cpuOf(access)) > (cpuMs ?? 0) + 50);
    assert.equal((await exec(access, "true")).exitCode, 0);
    await sandboxes.pause(access);
    await sandboxes.end(access);
    await sandboxes.end(other);
    assert.deepEqual(await processesWith(access.sandbox), []);
    assert.equal(existsSync(freezerPlace(access.sandbox, [])?.directory ?? "/nowhere"), false);
    const paused = ["execution.paused", "execution.resumed", "execution.paused", "execution.closed closed"];
    assert.deepEqual(await recordsOf(access), paused);
  });

  test(`${kind}: kill() asks nobody and leaves nothing; end() asks first`, async () => {
    const trap = 'trap "touch asked; exit" TERM; echo; while :; do sleep 0.01; done';
    const place = kind === "process" ? "" : "container";
    for (const how of ["kill", "end"] as const) {
      const access = await open(overrides);
      const commands = exec(access, trap, { isDetached: true });
      await commands;
      await waitUntil("the command's first line", async () =>
        (await sandboxes.logs(access, undefined)).some(({ bytes }) => bytes.length > 0),
      );
      await sandboxes[how](access);
      assert.deepEqual(await processesWith(access.sandbox), []);
      assert.deepEqual(await recordsOf(access), [`execution.closed ${how === "kill" ? "killed" : "closed"}`]);
      await assert.rejects(exec(access, "true"), { code: "SANDBOX_CLOSED" });
      // A container's workspace is gone with it.
      if (place === "") assert.equal(existsSync(path.join(project, "asked")), how === "end");
    }
  });

  test(`${kind}: stats() says what lies in the sandbox's own places, and what its processes hold`, async () => {
    const access = await open(overrides);
    const before = await sandboxes.stats(access);
    assert.equal((await exec(access, 'head -c 20M /dev/zero > "$HOME/filled"')).exitCode, 0);
    await exec(access, "python3 -c 'import time; x = bytearray(80 << 20); time.sleep(1000)'", { isDetached: true });
    await waitUntil(
      "filling memory",
      async () => ((await sandboxes.stats(access)).memoryBytes ?? 0) > (before.memoryBytes ?? 0) + (64 << 20),
    );
    const { privateBytes = 0, processes, openCommands, peakMemoryBytes = 0, memoryBytes = 0 } = await sandboxes.stats(access);
    assert.ok(privateBytes - (before.privateBytes ?? 0) >= 20e6 && privateBytes < 64 << 20, String(privateBytes));
    assert.deepEqual([openCommands, processes >= 1, peakMemoryBytes >= memoryBytes], [1, true, true]);
    await sandboxes.end(access);
  });
}

test("a reaper ends what was paused when its broker died", async () => {
  if (!isRoot) return assert.equal((await openContained("runc")).walls.identity.hostUid, process.getuid?.());
  const spec = containerSpec();
  const sandbox = await openContained("runc", spec);
  const { exit } = await sandbox.exec({ argv: ["sleep", "1000"], cwd: containedProject });
  assert.ok(canPause(sandbox));
  await sandbox.pause();
  const directory = freezerPlace(spec.sandboxId, [])?.directory ?? assert.fail("no freezer");
  assert.ok(existsSync(directory));
  const { cgroups } = await reapContainerSandbox({ sandboxId: spec.sandboxId, cgroups: [directory] });
  assert.equal(cgroups, 1);
  assert.equal((await exit).kind, "lost");
  assert.deepEqual([existsSync(directory), await processesWith(spec.sandboxId)], [false, []]);
});
