// The life of a process sandbox: its end, a missing part of its wall, the death of whoever opened it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { findCgroups } from "../../src/linux/cgroups.ts";
import { type LayoutOperation, layoutText, runOperation } from "../../src/linux/layout.ts";
import { openProcessBoundary, type ProcessBoundaryOptions, reapProcessSandbox } from "../../src/boundaries/process/process.ts";
import { base, installation, makeWorld, open, options, processesWith, runIn } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";

test("close() leaves no process, whatever ran", async () => {
  const world = await makeWorld();
  const sandbox = await open(world.spec());
  const execution = await sandbox.exec({
    argv: ["sh", "-c", 'trap "" TERM; setsid sh -c "trap \\"\\" TERM; sleep 1000" & (sleep 1000 &) ; echo ready; sleep 1000'],
    cwd: world.project,
  });
  for await (const { bytes } of execution.output) if (Buffer.from(bytes).includes("ready")) break;
  assert.ok((await sandbox.stats()).processes >= 3);
  const pids = await processesWith(`--sandbox=${sandbox.id}`);
  assert.ok(pids.length >= 2);
  await sandbox.close();
  assert.equal((await sandbox.stats()).processes, 0);
  assert.deepEqual(await processesWith(`--sandbox=${sandbox.id}`), []);
  // The touch log is for whoever closed the sandbox; it goes with its directory.
  assert.deepEqual(await readdir(path.join(path.dirname(world.home), "private")), ["touches.json", "touches.log"]);
});

test("a missing tool is WALL_UNAVAILABLE, names it, and nothing is journalled or started", async () => {
  const world = await makeWorld();
  const gone = path.join(base, "no-such-program");
  const wrong = path.join(base, "not-a-wall");
  await writeFile(wrong, "#!/bin/sh\necho 'bwrap: Unknown option --disable-userns' >&2\nexit 1\n");
  await chmod(wrong, 0o755);
  const refused = path.join(base, "refused-wall");
  await writeFile(
    refused,
    "#!/bin/sh\necho 'bwrap: No permissions to create new namespace, likely because the kernel does not allow it' >&2\nexit 1\n",
  );
  await chmod(refused, 0o755);
  const cases: readonly (readonly [Partial<ProcessBoundaryOptions>, string])[] = [
    [{ bubblewrap: gone }, "wall.bubblewrap-missing"],
    [{ bubblewrap: wrong }, "wall.bubblewrap-old"],
    [{ bubblewrap: refused }, "wall.user-namespaces"],
    [{ guardPath: gone }, "wall.guard-missing"],
    [{ launcherPath: gone }, "wall.launcher-missing"],
  ];
  for (const [extra, situation] of cases) {
    await assert.rejects(open(world.spec(), extra), { code: "WALL_UNAVAILABLE", situation });
  }
});

test("the launcher gives nobody a uid that a process has, and an ordinary user none at all", async () => {
  const uid = 1_879_048_191; // below those that are allocated
  const launch = () => {
    const input = layoutText([["uid", String(uid)], runOperation(["/usr/bin/true"])]);
    const { status, stderr } = spawnSync(options.launcherPath, [], { input });
    return [status, String(stderr)];
  };
  if (process.getuid?.() !== 0) {
    assert.deepEqual(launch(), [80, "launcher: usage - EPERM\n"]);
    return;
  }
  assert.deepEqual(launch(), [0, ""]);
  const other = spawn("/usr/bin/sleep", ["1000"], { uid, stdio: "ignore" });
  await once(other, "spawn");
  assert.deepEqual(launch(), [90, `launcher: uid ${uid} EEXIST\n`]);
  other.kill("SIGKILL");
  await once(other, "close");
  assert.deepEqual(launch(), [0, ""]);
});

test("what everybody may read needs no idmapped mount, as long as it is shown read-only: a toolchain on a file system without them", async () => {
  if (process.getuid?.() !== 0) return assert.equal(process.geteuid?.(), process.getuid?.(), "an ordinary user's owners are never mapped");
  const root = await mkdtemp(path.join(base, "plain-"));
  // ramfs knows no idmapped mounts, as overlayfs does not.
  const script = `mount -t ramfs ramfs "$0" && cd "$0" && mkdir -m 755 open && mkdir -m 700 closed && echo tool > open/f && chmod 644 open/f || exit 9
launch() { "$1" <"$2" 2>&1; echo "ended $?"; }
launch "$1" "$0.1"; launch "$1" "$0.2"; launch "$1" "$0.3"`;
  const show = ["/bin/sh", "-c", "cat /run/t/f; touch /run/t/new"];
  for (const [number, name, place] of [
    [1, "idmap-ro", "open"],
    [2, "idmap-ro", "closed"],
    [3, "idmap", "open"],
  ] as const) {
    const operations: readonly LayoutOperation[] = [
      ["uid", "1879048190"],
      ["stage", "/run"],
      [name, `${root}/${place}`, "-", "t"],
    ];
    await writeFile(`${root}.${number}`, layoutText([...operations, runOperation(show)]));
  }
  const { stdout } = spawnSync("/usr/bin/unshare", ["-m", "/bin/sh", "-c", script, root, options.launcherPath], { encoding: "utf8" });
  assert.match(
    stdout,
    /^tool\n.*Read-only file system\n.*ended 1\nlauncher: idmap \S+ EINVAL\nended \d+\nlauncher: idmap \S+ EINVAL\nended \d+\n$/su,
  );
});

test("a guard that is not our guard opens nothing", async () => {
  const world = await makeWorld();
  const spec = world.spec();
  await assert.rejects(open(spec, { guardPath: "/usr/bin/true" }), (error: unknown) => error instanceof Error && "code" in error);
  assert.deepEqual(await processesWith(`--sandbox=${spec.sandboxId}`), []);
});

test("layers cannot be left out with the product's guard", async () => {
  const world = await makeWorld();
  for (const testLayers of [
    { outer: true, inner: true },
    { outer: true, inner: false },
    { outer: false, inner: true },
  ]) {
    await assert.rejects(open(world.spec(), { testLayers }), { code: "WALL_UNAVAILABLE", situation: "wall.test-layers" });
  }
});

test("probe() finds every required line working here, and a missing bubblewrap with its fix", async () => {
  const report = await openProcessBoundary(options).probe();
  assert.deepEqual(
    report.lines.filter(({ required, state }) => required && state !== "works"),
    [],
  );
  assert.equal(report.usable, true);
  const without = await openProcessBoundary({ ...options, bubblewrap: path.join(base, "no-such-program") }).probe();
  assert.equal(without.usable, false);
  assert.equal(without.lines.find(({ name }) => name === "bubblewrap")?.fix?.key, "wall.fix.bubblewrap");
});

/** Opens a sandbox in a process of its own and says so; killed, it can clean up nothing. */
const opener = `
import { openProcessBoundary } from ${JSON.stringify(path.join(installation, "src/boundaries/process/process.ts"))};
const { options, spec, journal } = JSON.parse(process.argv[1]);
const sandbox = await openProcessBoundary(options).open(spec, { signal: new AbortController().signal, journal: async () => {} });
const execution = await sandbox.exec({ argv: ["sh", "-c", "setsid sleep 1000 & echo ready; sleep 1000"], cwd: spec.projectDirectory });
for await (const { bytes } of execution.output) process.stdout.write(bytes);
`;

test("kill -9 of whoever opened a sandbox ends it, and reaping again finds nothing", async (context) => {
  const world = await makeWorld();
  const spec = world.spec();
  const child = spawn(process.execPath, ["--input-type=module", "-e", opener, JSON.stringify({ options, spec })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.after(() => child.kill("SIGKILL"));
  const isReady = await new Promise<boolean>((resolve) => {
    child.stdout.once("data", () => resolve(true));
    child.once("exit", () => resolve(false));
  });
  assert.ok(isReady);
  assert.ok((await processesWith(`--sandbox=${spec.sandboxId}`)).length >= 2);
  child.kill("SIGKILL");
  await waitUntil("the end of the sandbox", async () => (await processesWith(`--sandbox=${spec.sandboxId}`)).length === 0);
  const cgroups = findCgroups(spec.sandboxId).map(({ directory }) => directory);
  assert.deepEqual(await reapProcessSandbox({ sandboxId: spec.sandboxId, privateDirectory: spec.privateDirectory, cgroups }), {
    processes: 0,
    directories: 1,
    cgroups: cgroups.length,
  });
  assert.deepEqual(await reapProcessSandbox({ sandboxId: spec.sandboxId, privateDirectory: spec.privateDirectory }), {
    processes: 0,
    directories: 0,
    cgroups: 0,
  });
});

test("reapProcessSandbox() kills a sandbox by its marker and nothing that only looks like it", async (context) => {
  const world = await makeWorld();
  const sandbox = await open(world.spec());
  const execution = await sandbox.exec({ argv: ["sleep", "1000"], cwd: world.project });
  const lookalike = spawn("/bin/sh", ["-c", "read line", `--sandbox=${sandbox.id}`], { stdio: ["pipe", "ignore", "ignore"] });
  const other = await open(world.spec());
  context.after(() => lookalike.kill());
  const { processes } = await reapProcessSandbox({ sandboxId: sandbox.id });
  assert.ok(processes >= 2);
  assert.equal((await execution.exit).kind, "lost");
  assert.equal(lookalike.exitCode ?? lookalike.signalCode, null);
  assert.equal((await runIn(other, ["echo", "alive"], world.project)).output, "alive\n");
  await sandbox.close();
  await other.close();
});
