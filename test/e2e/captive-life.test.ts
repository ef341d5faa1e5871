// The life of a captive network: nothing runs before the gate listens, the gate is closed before anything ends, and nothing is left.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { openProcessBoundary, reapProcessSandbox } from "../../src/boundaries/process/process.ts";
import type { Sandbox } from "../../src/contracts/boundary.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { observe } from "../fixtures/observe/observe.ts";
import { assertNoKernelObjectLeft } from "../fixtures/residue.ts";
import { openTestGate } from "../fixtures/test-gate.ts";
import { waitUntil } from "../fixtures/wait-until.ts";
import { base, makeWorld, open, options, processesWith, quiet, runIn } from "./process-boundary-fixture.ts";

const look = () => observe({ markers: [base], ancestors: [process.pid] });

/** The process that made the network of a sandbox: the parent of bubblewrap. */
async function captiveOf(sandbox: Sandbox): Promise<number> {
  const found = await processesWith(`--sandbox=${sandbox.id}`);
  const numbers = await Promise.all(found.map(async (pid) => ((await processesWith("--channel")).includes(pid) ? Number(pid) : [])));
  const [pid, ...more] = numbers.flat();
  assert.ok(pid !== undefined && more.length === 0);
  return pid;
}

test("open() waits for the gate, and close() closes it while the command still runs", async () => {
  const before = look();
  const world = await makeWorld();
  const steps: string[] = [];
  const attaching = Promise.withResolvers<void>();
  const opened: Sandbox[] = [];
  const gate = openTestGate({
    attach: async () => {
      attaching.resolve();
      await Promise.resolve();
      steps.push("attached");
    },
    close: async () => {
      const { openCommands = 0 } = (await opened[0]?.stats()) ?? {};
      steps.push(`closed with ${openCommands} command running`);
    },
  });
  const opening = open({ ...world.spec(), egress: gate });
  await attaching.promise;
  const sandbox = await opening;
  opened.push(sandbox);
  steps.push("open");
  const execution = await sandbox.exec({ argv: ["sh", "-c", "trap '' TERM; echo ready; sleep 1000"], cwd: world.project });
  for await (const { bytes } of execution.output) if (Buffer.from(bytes).includes("ready")) break;
  await Promise.all([sandbox.close(), sandbox.close()]);
  assert.deepEqual(steps, ["attached", "open", "closed with 1 command running"]);
  assert.deepEqual(gate.events, ["attach", "close"]);
  assertNoKernelObjectLeft(before, look());
});

test("a gate that does not want the listeners opens nothing and is closed", async () => {
  const before = look();
  const world = await makeWorld();
  const reason = new GloveboxError("INTERNAL", "wall.open-failed", { values: { sandbox: "-", detail: "no gate" } });
  const gate = openTestGate({ attach: () => Promise.reject(reason) });
  await assert.rejects(open({ ...world.spec(), egress: gate }), reason);
  assert.deepEqual(gate.events, ["attach", "close"]);
  assertNoKernelObjectLeft(before, look());
});

test("an opening that is aborted while the gate gets ready leaves nothing", async () => {
  const before = look();
  const world = await makeWorld();
  const controller = new AbortController();
  const gate = openTestGate({
    attach: () => {
      controller.abort();
      return new Promise(() => {});
    },
  });
  const opening = openProcessBoundary(options).open({ ...world.spec(), egress: gate }, { ...quiet, signal: controller.signal });
  await assert.rejects(opening, { code: "SANDBOX_OPEN_FAILED", situation: "wall.open-aborted" });
  assert.deepEqual(gate.events, ["attach", "close"]);
  assertNoKernelObjectLeft(before, look());
});

test("a gate that fails to close does not keep a sandbox from its end", async () => {
  const before = look();
  const world = await makeWorld();
  let isStuck = true;
  const gate = openTestGate({ close: () => (isStuck ? Promise.reject(new Error("stuck")) : Promise.resolve()) });
  const sandbox = await open({ ...world.spec(), egress: gate });
  await sandbox.close();
  assert.deepEqual(await processesWith(`--sandbox=${sandbox.id}`), []);
  isStuck = false;
  await gate.close();
  assertNoKernelObjectLeft(before, look());
});

test("the end of what made the network is the end of the sandbox", async () => {
  const world = await makeWorld();
  const sandbox = await open({ ...world.spec(), egress: openTestGate() });
  const execution = await sandbox.exec({ argv: ["sleep", "1000"], cwd: world.project });
  process.kill(await captiveOf(sandbox), "SIGKILL");
  assert.equal((await execution.exit).kind, "lost");
  await sandbox.close();
  // What was ours of it is killed by the kernel when its parent is gone, in its own time.
  await waitUntil("the end of each process", async () => (await processesWith(`--sandbox=${sandbox.id}`)).length === 0);
});

test("reapProcessSandbox() ends a sandbox with its network", async () => {
  const world = await makeWorld();
  const sandbox = await open({ ...world.spec(), egress: openTestGate() });
  const captive = await captiveOf(sandbox);
  await reapProcessSandbox({ sandboxId: sandbox.id });
  assert.deepEqual(await processesWith(`--sandbox=${sandbox.id}`), []);
  assert.equal((await processesWith("--channel")).includes(String(captive)), false);
  await sandbox.close();
});

test("without an egress endpoint a sandbox has a loopback alone", async () => {
  const world = await makeWorld();
  const sandbox = await open(world.spec());
  const { output } = await runIn(sandbox, ["sh", "-c", "tail -n +3 /proc/net/dev | cut -d: -f1"], world.project);
  await sandbox.close();
  assert.equal(output.trim(), "lo");
  assert.equal(sandbox.whoConnects(80), undefined);
});

test("a network that cannot be made is WALL_UNAVAILABLE, and no gate hears of it", async () => {
  const world = await makeWorld();
  const failing = path.join(base, "failing-captive");
  await writeFile(failing, "#!/bin/sh\necho 'captive: rules EOPNOTSUPP' >&2\nexit 104\n");
  await chmod(failing, 0o755);
  const cases = [
    [path.join(base, "no-such-program"), "wall.captive-missing"],
    [failing, "wall.captive"],
  ] as const;
  for (const [captivePath, situation] of cases) {
    const gate = openTestGate();
    await assert.rejects(open({ ...world.spec(), egress: gate }, { captivePath }), { code: "WALL_UNAVAILABLE", situation });
    assert.deepEqual(gate.events, []);
  }
});

test("probe() says which form of the captive network works, and otherwise what repairs it", async () => {
  const lineOf = async (captivePath: string) =>
    (await openProcessBoundary({ ...options, captivePath }).probe()).lines.find(({ name }) => name === "captive-network");
  assert.deepEqual(await lineOf(options.captivePath), {
    name: "captive-network",
    state: "works",
    detail: "two networks",
    fix: undefined,
    required: false,
  });
  assert.equal((await lineOf(path.join(base, "no-such-program")))?.fix?.key, "wall.fix.setup");
});

test("the program that makes the network refuses root's own id, and whatever it does not know", () => {
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(options.captivePath, args, { encoding: "utf8" });
    return [status, stdout, stderr];
  };
  const isRoot = process.getuid?.() === 0;
  const refusal = [101, "", "captive: identity EPERM\n"];
  assert.deepEqual(run("--probe"), isRoot ? refusal : [0, "two\n", ""]);
  assert.deepEqual(run("--probe", "--one-network"), isRoot ? refusal : [0, "one\n", ""]);
  const usages = [[], ["--channel", "2", "--", "/bin/true"], ["--channel", "3", "/bin/true"], ["--channel", "x", "--", "/bin/true"]];
  for (const args of [...usages, ["--channel", "3", "--", "true"], ["--probe", "--more"]]) {
    assert.deepEqual(run(...args), [100, "", "captive: usage EINVAL\n"], args.join(" "));
  }
});

for (const cgroups of ["found", "none"] as const) {
  test(`what makes the network counts against no limit of processes (control groups ${cgroups})`, async () => {
    const count = "import os, time\nn = 0\ntry:\n  while os.fork() or time.sleep(1000): n += 1\nexcept BlockingIOError: print(n)";
    const counted: string[] = [];
    for (const egress of [undefined, openTestGate()]) {
      const world = await makeWorld();
      const spec = world.spec();
      const limited = { ...spec, limits: { ...spec.limits, processes: 9 } };
      const sandbox = await open(egress === undefined ? limited : { ...limited, egress }, { cgroups });
      const execution = await sandbox.exec({ argv: ["python3", "-c", count], cwd: world.project });
      for await (const { bytes } of execution.output) {
        counted.push(Buffer.from(bytes).toString());
        break;
      }
      await sandbox.close();
    }
    assert.match(counted[0] ?? "", /^(8|9)\n$/u);
    assert.equal(counted[1], counted[0]);
  });
}
