// The launcher that stays with whoever opens more than one sandbox: what it forks is what Node would have started, and nobody outlives anybody.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { openProcessBoundary } from "../../src/boundaries/process/process.ts";
import { ResidentLauncher } from "../../src/boundaries/process/resident-launcher.ts";
import type { Boundary, Sandbox } from "../../src/contracts/boundary.ts";
import { capture } from "../../src/kit/spawn.ts";
import { readTouches } from "../../src/guard/guard.ts";
import { findCgroups, removeCgroup } from "../../src/linux/cgroups.ts";
import { base, installation, makeWorld, options, processesWith, quiet, runIn } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";

async function parentOf(pid: string): Promise<string | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return /^PPid:\t(\d+)$/mu.exec(status)?.[1];
}

/** Resident launchers of a process. */
async function residentsOf(parent: number | undefined): Promise<readonly string[]> {
  const pids = await processesWith("launcher\0--resident");
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, index) => parents[index] === String(parent));
}

async function openOne(boundary: Boundary): Promise<Sandbox> {
  return boundary.open((await makeWorld()).spec(), quiet);
}

async function assertWorks(sandbox: Sandbox): Promise<void> {
  assert.equal((await runIn(sandbox, ["echo", "works"], "/")).output, "works\n");
}

test("the first sandbox starts nobody that stays; what follows is forked by one launcher, and the list of changes is kept", async () => {
  const boundary = openProcessBoundary({ ...options, sharedLockPath: path.join(base, "roots.lock") });
  const before = await residentsOf(process.pid);
  const first = await openOne(boundary);
  assert.deepEqual(await residentsOf(process.pid), before);
  const worlds = await Promise.all([makeWorld(), makeWorld(), makeWorld(), makeWorld()]);
  const specs = worlds.map((world) => world.spec());
  const sandboxes = await Promise.all(specs.map((spec) => boundary.open(spec, quiet)));
  const [resident, ...others] = (await residentsOf(process.pid)).filter((pid) => !before.includes(pid));
  assert.deepEqual(others, []);
  for (const [index, sandbox] of sandboxes.entries()) {
    const pids = await processesWith(`--sandbox=${sandbox.id}`);
    assert.ok((await Promise.all(pids.map(parentOf))).includes(resident));
    const [world, spec] = [worlds[index], specs[index]];
    assert.ok(world !== undefined && spec !== undefined);
    const { output } = await runIn(sandbox, ["sh", "-c", `echo ${index} > made; cat made`], world.project);
    assert.equal(output, `${index}\n`);
    await sandbox.close();
    assert.deepEqual(await processesWith(`--sandbox=${sandbox.id}`), []);
    const touches = readTouches(spec.privateDirectory);
    assert.ok((touches?.records.commands.size ?? 0) > 0);
    touches?.close();
  }
  await assertWorks(first);
  await first.close();
});

test("what it forks has the descriptors, the environment and the signals of what Node starts", async () => {
  const told = path.join(base, "tells");
  const words = [
    "#!/bin/sh",
    "signals=$(grep ^Sig /proc/self/status | grep -v SigQ | cut -f2 | tr '\\n' ' ')",
    "session=$(cut -d' ' -f5,6 /proc/$$/stat | sed \"s/$$/own/g\")",
    // By the shell itself: a program beside it may still see a pipe that the shell is just closing.
    'for place in /proc/$$/fd/*; do descriptors="$descriptors${place##*/} "; done',
    'echo "$descriptors| $(env | sort | tr "\\n" " ")| $signals| $session | $(umask) | $(pwd)" >&2; exit 1',
  ];
  await writeFile(told, words.join("\n"));
  await chmod(told, 0o755);
  const boundary = openProcessBoundary({ ...options, bubblewrap: told, sharedLockPath: path.join(base, "roots.lock") });
  const refusal = async (): Promise<string> => {
    const spec = (await makeWorld()).spec();
    const error: unknown = await boundary.open(spec, quiet).catch((reason: unknown) => reason);
    assert.deepEqual(await processesWith(`--sandbox=${spec.sandboxId}`), []);
    return String(error).replace(spec.sandboxId, "ID");
  };
  const [spawned, ...forked] = [await refusal(), await refusal(), await refusal()].map((text) => text.split("| "));
  // 6, of the directory, and 10 are the shell's. Whatever our own caller left open reaches what Node starts too, and there the guard closes it.
  for (const [descriptors, ...rest] of forked) {
    assert.match(descriptors ?? "", /"0 1 10 2 3 4 5 6 $/u);
    assert.deepEqual(rest, spawned?.slice(1));
  }
  assert.deepEqual(spawned?.slice(-3, -2), ["own own "]);
});

test("what went wrong in what it forks is heard to its end, whoever else still writes to it", async () => {
  const resident = new ResidentLauncher(options.launcherPath);
  for (let round = 0; round < 20; round += 1) {
    const child = await resident.start({ marker: "--sandbox=none", makeFiles: () => ["", ""] });
    assert.ok(child !== undefined);
    child.control.on("error", () => {});
    child.layout?.write("no length, ");
    child.layout?.end("x".repeat(1 << 20));
    const [text] = await Promise.all([child.text.toArray(), child.ended]);
    assert.equal(Buffer.concat(text).toString(), "launcher: usage - EINVAL\n");
  }
});

test("when it is killed its sandboxes end, those of others stay, and the next sandbox has another", async () => {
  const boundary = openProcessBoundary(options);
  const [first, second] = [await openOne(boundary), await openOne(boundary)];
  const parents = await Promise.all((await processesWith(`--sandbox=${second.id}`)).map(parentOf));
  const [resident] = (await residentsOf(process.pid)).filter((pid) => parents.includes(pid));
  process.kill(Number(resident), "SIGKILL");
  await waitUntil("the end of the sandbox", async () => (await processesWith(`--sandbox=${second.id}`)).length === 0);
  await assert.rejects(second.exec({ argv: ["true"], cwd: "/" }), { code: "SANDBOX_CLOSED" });
  await second.close();
  await assertWorks(first);
  await first.close();
  const third = await openOne(boundary);
  await assertWorks(third);
  await third.close();
});

/** Puts descriptors into messages that nobody receives until the kernel refuses one, and keeps them there. */
const flood = `
import array, socket, sys, time
pairs, count = [], 0
try:
    while True:
        pairs.append(socket.socketpair()); pairs[-1][0].setblocking(False)
        try:
            while True:
                pairs[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 250))]); count += 250
        except BlockingIOError: pass
except OSError: print(count, flush=True)
sys.stdin.read()`;

test("what one sandbox has on its way in messages keeps no other from its commands, and ends no launcher and nobody's sandbox", async (t) => {
  const boundary = openProcessBoundary(options);
  t.after(() => Promise.all(sandboxes.map((sandbox) => sandbox.close())));
  const sandboxes = [await openOne(boundary), await openOne(boundary), await openOne(boundary)];
  const [, hostile] = sandboxes;
  const parents = await Promise.all((await processesWith(`--sandbox=${hostile?.id}`)).map(parentOf));
  const [resident] = (await residentsOf(process.pid)).filter((pid) => parents.includes(pid));
  assert.ok(hostile !== undefined && resident !== undefined);
  // Root may have any number on its way; its sandboxes have users of their own.
  await capture("/usr/bin/prlimit", ["--pid", resident, "--nofile=256:256"]);
  const flooding = await hostile.exec({ argv: ["python3", "-c", flood], cwd: "/" });
  for await (const { bytes } of flooding.output) {
    assert.ok(Number(Buffer.from(bytes).toString()) > 256);
    break;
  }
  for (let more = 0; more < 3; more += 1) sandboxes.push(await openOne(boundary));
  // For the fourth it had handed over what is needed before: forked now, it has its limit, and starts no command.
  for (const sandbox of sandboxes.toSpliced(3, 1)) await assertWorks(sandbox);
  for (const sandbox of sandboxes) await sandbox.close();
  await waitUntil("a sandbox that is forked again", async () => {
    const sandbox = await openOne(boundary);
    const found = await Promise.all((await processesWith(`--sandbox=${sandbox.id}`)).map(parentOf));
    await sandbox.close();
    return found.includes(resident);
  });
});

/** Starts from one launcher in a process that has no descriptor left when the next set comes to it, and again when it has. */
const crowded = `
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync } from "node:fs";
import { ResidentLauncher } from ${JSON.stringify(path.join(installation, "src/boundaries/process/resident-launcher.ts"))};
const [launcherPath, spare] = [process.argv[1], Number(process.argv[2])];
const resident = new ResidentLauncher(launcherPath);
const start = () => resident.start({ marker: "--sandbox=none", makeFiles: () => ["", ""] });
const finish = async (child) => {
  child.control.on("error", () => {});
  child.layout.end("no length");
  await Promise.all([child.text.toArray(), child.ended]);
};
const first = start();
const highest = Math.max(...readdirSync("/proc/self/fd").map(Number));
// Nothing is received before all are taken.
spawnSync("/usr/bin/prlimit", ["--pid", String(process.pid), "--nofile=" + (highest + 32) + ":4096"]);
const taken = [];
try {
  for (;;) taken.push(openSync("/dev/null"));
} catch (error) {
  if (error.code !== "EMFILE") throw error;
}
for (const descriptor of taken.splice(0, spare)) closeSync(descriptor);
const child = await first;
const second = await start();
process.stdout.write(second === undefined ? "short " : "started ");
for (const descriptor of taken.splice(0)) closeSync(descriptor);
await finish(child);
for (let last; last === undefined; await new Promise(setImmediate)) {
  last = await start();
  if (last !== undefined) await finish(last);
}
process.stdout.write("again");
process.exit();
`;

test("a broker without a free descriptor is told that the next set is short, waits for none, and has it when there are some", async () => {
  for (const spare of [0, 1, 2]) {
    const words = ["--input-type=module", "-e", crowded, options.launcherPath, String(spare)];
    const { stdout, stderr } = await capture(process.execPath, words, { timeoutMs: 120_000 });
    assert.equal(stdout, "short again", stderr);
  }
});

/** Opens two sandboxes in a process of its own, runs something in the second, and closes both or waits for its death. */
const opener = `
import { openProcessBoundary } from ${JSON.stringify(path.join(installation, "src/boundaries/process/process.ts"))};
const { options, specs, mayEnd } = JSON.parse(process.argv[1]);
const boundary = openProcessBoundary(options);
const context = { signal: new AbortController().signal, journal: async () => {} };
const sandboxes = [];
for (const spec of specs) sandboxes.push(await boundary.open(spec, context));
const execution = await sandboxes[1].exec({ argv: ["sh", "-c", mayEnd ? "echo ready" : "setsid sleep 1000 & echo ready; sleep 1000"], cwd: "/" });
for await (const { bytes } of execution.output) process.stdout.write(bytes);
for (const sandbox of sandboxes) await sandbox.close();
`;

for (const mayEnd of [false, true]) {
  const name = mayEnd ? "a process whose sandboxes are closed ends by itself" : "kill -9 of whoever opened two sandboxes ends both";
  test(`${name}, and the launcher that stayed with it`, async (context) => {
    const specs = [(await makeWorld()).spec(), (await makeWorld()).spec()];
    const child = spawn(process.execPath, ["--input-type=module", "-e", opener, JSON.stringify({ options, specs, mayEnd })], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    context.after(() => child.kill("SIGKILL"));
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    const residents = await residentsOf(child.pid);
    if (!mayEnd) {
      assert.equal(residents.length, 1);
      child.kill("SIGKILL");
    }
    assert.deepEqual(await ended, mayEnd ? [0, null] : [null, "SIGKILL"]);
    for (const { sandboxId } of specs) {
      await waitUntil("the end of both", async () => (await processesWith(`--sandbox=${sandboxId}`)).length === 0);
      // Whoever was killed kept no journal here, by which the next would find them.
      for (const { directory } of findCgroups(sandboxId)) await removeCgroup(directory);
    }
    await waitUntil("the end of the launcher", async () =>
      (await processesWith("launcher\0--resident")).every((pid) => !residents.includes(pid)),
    );
  });
}
