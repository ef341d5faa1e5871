// A container of runsc: what stands there, what stays out, and that nothing is left of it. What holds for every boundary is in the conformance suite.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { reapContainerSandbox } from "../../src/boundaries/container/container.ts";
import { findCgroups } from "../../src/linux/cgroups.ts";
import { openTestGate } from "../fixtures/test-gate.ts";
import { waitUntil } from "../fixtures/wait-until.ts";
import { containerSpec, openContained, project, runContained } from "./container-fixture.ts";
import { processesWith } from "./process-boundary-fixture.ts";

const sh = (script: string) => ["sh", "-c", script] as const;
const build = path.join(import.meta.dirname, "../../build");

test("runsc: its own kernel, with the layers of the guard that it knows, and each of them said", async () => {
  const sandbox = await openContained("runsc");
  const names = sandbox.walls.layers.map(({ name }) => name);
  assert.deepEqual(names, ["runsc", "runtimeSeccomp", "descriptors", "noNewPrivs", "capabilities", "rlimits", "seccomp"]);
  const script = [
    "echo kernel=$(cut -d' ' -f1,3 /proc/version)",
    "echo first=$(tr '\\0' ' ' < /proc/1/cmdline)",
    "grep -E '^(CapEff|CapBnd|Seccomp)' /proc/self/status",
    "cat /proc/net/dev | grep -c :",
    "echo note > note; cat note; echo home > ~/x; echo out > /tmp/x",
    "cat ~/.config/tool",
    "for at in /usr/x /x /etc/x /run/x; do (echo no > $at) 2>/dev/null && echo wrote $at; done",
    `cat ${project}/a.txt ${path.dirname(project)}/.ssh/id_ed25519`,
    "true",
  ];
  const { output, exit } = await runContained(sandbox, sh(script.join("\n")));
  assert.equal(exit.kind === "exited" && exit.code, 0, output);
  assert.match(output, /^kernel=Linux 4\.4\.0$/mu);
  assert.match(output, /^first=\/run\/glovebox\/guard serve --sandbox=\S+ --kernel=gvisor/mu);
  assert.match(output, /^CapEff:\t0+$/mu);
  assert.match(output, /^CapBnd:\t0+$/mu);
  assert.match(output, /^Seccomp:\t2$/mu);
  assert.match(output, /^note\nof the policy\n/mu);
  assert.doesNotMatch(output, /wrote|canary/u);
});

test("runsc: killTree() ends what left its command's session, parents and mark, and no other command", async () => {
  const sandbox = await openContained("runsc");
  const script = (seconds: number) =>
    `(setsid sh -c '(ulimit -m 1; prlimit --rss=1; sleep ${seconds}) & exec sleep ${seconds}' >/dev/null 2>&1 &) ; echo ready; sleep 1000`;
  const started = await Promise.all(
    [4141, 4242].map(async (seconds) => {
      const execution = await sandbox.exec({ argv: sh(script(seconds)), cwd: project });
      for await (const { bytes } of execution.output) if (Buffer.from(bytes).includes("ready")) break;
      return execution;
    }),
  );
  const sleeping = async (seconds: number): Promise<number> => {
    const count = `for one in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $one; echo; done 2>/dev/null | grep -c '^sleep ${seconds} '`;
    return Number((await runContained(sandbox, sh(count))).output);
  };
  await waitUntil("both daemons", async () => (await sleeping(4141)) >= 2 && (await sleeping(4242)) >= 2);
  await started[0]?.killTree();
  assert.equal(await sleeping(4141), 0);
  assert.ok((await sleeping(4242)) >= 2);
  await sandbox.close();
});

const mebibyte = 2 ** 20;
for (const [limit, limits, script] of [
  ["memory", { memoryBytes: 128 * mebibyte }, "python3 -c 'x = bytearray(512 << 20)'; sleep 1000"],
  ["disk", { diskBytes: 8 * mebibyte }, "head -c 64M /dev/zero > /tmp/filled; sleep 1000"],
] as const) {
  test(`runsc: ${limit} is a limit that is seen used up`, async () => {
    const sandbox = await openContained("runsc", containerSpec(limits));
    const running = runContained(sandbox, sh(script));
    running.catch(() => {});
    assert.equal((await sandbox.exhausted).limit, limit);
    await sandbox.close();
  });
}

test("runsc: one process more than are allowed is refused by gVisor's kernel, for all commands together", async () => {
  const sandbox = await openContained("runsc", containerSpec({ processes: 8 }));
  const { output } = await runContained(
    sandbox,
    sh("for one in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do sleep 1000 > /dev/null 2>&1 & done; echo all"),
  );
  assert.match(output, /Cannot fork/u);
  await sandbox.close();
});

test("runsc: a network behind the gate is refused by its code, and nothing is made", async () => {
  const spec = { ...containerSpec(), egress: openTestGate() };
  await assert.rejects(openContained("runsc", spec), { code: "WALL_UNAVAILABLE", situation: "container.gvisor-network" });
  assert.deepEqual(await processesWith(spec.sandboxId), []);
});

test("the guard's form for gVisor serves nobody on Linux", () => {
  const words = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", path.join(build, "guard"), "serve", "--kernel=gvisor"];
  const { status, stdout } = spawnSync("unshare", words, { input: "" });
  assert.deepEqual([status, stdout.length], [73, 0]);
});

test("runsc: close() and the reaper leave no process and no control group", async () => {
  const spec = containerSpec();
  const groups = findCgroups(spec.sandboxId).map(({ directory }) => directory);
  const sandbox = await openContained("runsc", spec);
  const execution = await sandbox.exec({ argv: ["sleep", "1000"], cwd: project });
  assert.ok((await processesWith(spec.sandboxId)).length >= 2, "the runtime and gVisor's kernel");
  assert.ok((await reapContainerSandbox({ sandboxId: spec.sandboxId, cgroups: [] })).processes >= 2);
  assert.equal((await execution.exit).kind, "lost");
  await sandbox.close();
  assert.deepEqual(await processesWith(spec.sandboxId), []);
  assert.deepEqual(groups.filter(existsSync), []);
});
