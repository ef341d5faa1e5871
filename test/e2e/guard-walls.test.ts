// The guard's inner wall, its refusals and the launcher: each missing layer is a refusal that names it, and nothing was executed.
import assert from "node:assert/strict";
import { spawn, spawnSync, type SpawnSyncOptions } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { suite, test, type TestContext } from "node:test";
import { type LayoutOperation, layoutText, runOperation } from "../../src/linux/layout.ts";
import { exitStatus, openGuardSession, parseProbe } from "../../src/guard/guard.ts";
import { guardFrameDecoder } from "../../src/guard/frame-decoder.ts";
import * as frames from "../../src/guard/host-frames.ts";
import { frameTypes } from "../../src/guard/protocol.ts";
import { removeTree } from "../../src/kit/remove-tree.ts";
import {
  collect,
  eventually,
  freshUid,
  guardPath,
  identities,
  launcherPath,
  openGuard,
  type OpenGuard,
  root,
  rules,
  start,
  startGuard,
  startShell,
  testGuardPath,
} from "./guard-fixture.ts";

async function shell(guard: OpenGuard, script: string): Promise<string> {
  const execution = await startShell(guard.session, script);
  const { stdout, stderr } = await collect(execution.output);
  return stdout.toString() + stderr.toString();
}

/** A seccomp program that answers one system call with an errno, and with `ifFirst` only when its first argument is that. */
function refuseCall(number: number, errno: number, ifFirst?: number): Uint8Array {
  const statements: [number, number, number, number][] = [[0x20, 0, 0, 0]];
  statements.push([0x15, 0, ifFirst === undefined ? 1 : 3, number]);
  if (ifFirst !== undefined) statements.push([0x20, 0, 0, 16], [0x15, 0, 1, ifFirst]);
  statements.push([0x06, 0, 0, 0x0005_0000 | errno], [0x06, 0, 0, 0x7fff_0000]);
  const bytes = Buffer.alloc(statements.length * 8);
  for (const [index, [code, yes, no, operand]] of statements.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(operand, index * 8 + 4);
  }
  return bytes;
}

const calls = process.arch === "arm64" ? { capset: 91, prlimit64: 261, seccomp: 277 } : { capset: 126, prlimit64: 302, seccomp: 317 };
const landlock = { create: 444, restrict: 446 };
const { EPERM, ENOSYS } = constants.errno;

async function scratch(context: TestContext): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), "glovebox-guard-"));
  await chmod(directory, 0o755);
  context.after(async () => removeTree(directory, { parent: tmpdir() }));
  return directory;
}

for (const identity of identities) {
  suite(`inner wall, guard started by ${identity}`, { timeout: 60_000 }, () => {
    test("a command has no capability, no new privileges, one filter, no core file, and its own Landlock domain", async () => {
      await using guard = await openGuard({ identity });
      const status = await shell(guard, "cat /proc/self/status; ulimit -c");
      for (const name of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) assert.match(status, new RegExp(`^${name}:\\s+0+$`, "mu"));
      assert.match(status, /^NoNewPrivs:\s+1$/mu);
      assert.match(status, /^Seccomp:\s+2$/mu);
      assert.match(status, /^0$/mu);
      assert.match(await shell(guard, "echo x > /var/tmp/x"), /cannot create|Permission denied/u);
    });

    test("limits hold, and never rise", async () => {
      await using guard = await openGuard({ identity });
      const command = {
        argv: ["sh", "-c", "ulimit -n; ulimit -Hn; ulimit -n 9999"] as const,
        cwd: "/tmp",
        environment: { PATH: "/usr/bin" },
      };
      const execution = await guard.session.exec(
        { ...command, argv: ["sh", "-c", command.argv[2]] },
        { limits: [{ resource: 7, value: 64n }] },
      );
      const { stdout, stderr } = await collect(execution.output);
      assert.equal(stdout.toString(), "64\n64\n");
      assert.match(stderr.toString(), /ulimit/u);
      const unlimited = await guard.session.exec(
        command.argv.length === 3 ? { ...command, argv: ["sh", "-c", "ulimit -Hn"] } : { ...command, argv: ["true"] },
        {
          limits: [{ resource: 7, value: 0xffff_ffff_ffff_ffffn }],
        },
      );
      const before = await shell(guard, "ulimit -Hn");
      assert.equal((await collect(unlimited.output)).stdout.toString(), before);
    });

    test("a command cannot signal, read or trace the guard, its keeper or another command", async () => {
      await using guard = await openGuard({ identity });
      const neighbour = await start(guard.session, ["sleep", "1000"]);
      const others =
        "for p in $(ls /proc | grep -E '^[0-9]+$'); do [ $p = $$ ] || [ $(ps -o ppid= -p $p 2>/dev/null || echo 0) -eq $$ ] || echo $p; done";
      const attempts = await shell(
        guard,
        `kill -9 -1; for p in 1 2 3 4 5; do [ $p = $$ ] || kill -9 $p; done; cat /proc/1/environ; ls /proc/1/fd; head -c 1 /proc/1/mem; ${others} >/dev/null; echo survived`,
      );
      assert.match(attempts, /survived/u);
      assert.doesNotMatch(attempts, /socket:/u);
      neighbour.signal("SIGTERM");
      const exit = await neighbour.exit;
      assert.ok(exit.kind === "signalled" && exit.signal === 15, "only our own signal ended it");
    });

    test("each inner layer that the kernel refuses is WALL_UNAVAILABLE, names the wall, and nothing is executed", async (context) => {
      const shared = await scratch(context);
      await chmod(shared, 0o777);
      const script = "touch /tmp/shared/marker";
      {
        await using control = await openGuard({ identity, shared });
        await shell(control, script);
        assert.ok(existsSync(`${shared}/marker`), "with every layer the marker is made");
        await rm(`${shared}/marker`);
      }
      const cases = [
        { wall: "capabilities", filter: refuseCall(calls.capset, EPERM) },
        { wall: "seccomp", filter: refuseCall(calls.seccomp, EPERM, 1) },
      ];
      for (const { wall, filter } of cases) {
        await using guard = await openGuard({ identity, filter, shared });
        const attempt = startShell(guard.session, script);
        await assert.rejects(attempt, { code: "WALL_UNAVAILABLE", situation: "guard.wall-missing", values: { wall, errno: "EPERM" } });
        assert.equal(existsSync(`${shared}/marker`), false);
      }
    });

    test("without Landlock the guard refuses before any command", async () => {
      for (const [number, situation] of [
        [landlock.create, "guard.landlock-old"],
        [landlock.restrict, "guard.wall-missing"],
      ] as const) {
        await using raw = await startGuard({ identity, filter: refuseCall(number, ENOSYS) });
        const session = openGuardSession(raw.channel);
        await assert.rejects(session.configure(rules), { code: "WALL_UNAVAILABLE", situation });
        await assert.rejects(start(session, ["true"]), { code: "WALL_UNAVAILABLE" });
        assert.equal(await raw.exited, exitStatus.wall);
      }
    });

    test("a rule whose path is absent or a link refuses, unless it is optional", async () => {
      for (const name of ["/no/such/path", "/proc/self/root"]) {
        await using raw = await startGuard({ identity });
        const session = openGuardSession(raw.channel);
        const attempt = session.configure([...rules, { path: name, rights: 4n }]);
        await assert.rejects(attempt, { code: "WALL_UNAVAILABLE", situation: "guard.rule-unusable" });
      }
    });

    test("a host that breaks the protocol ends the guard", async () => {
      const setup = [frames.helloFrame(1), ...rules.map(frames.ruleFrame), frames.sealFrame()];
      const strings = (...texts: readonly string[]): Buffer => Buffer.from(`${texts.join("\0")}\0`);
      const command = [
        ...frames.argumentFrames(5, strings("/", "/bin/sleep", "1000")),
        frames.execFrame(5, { pty: undefined, makesOutput: false, argc: 2, envc: 0, umask: 0, limits: [] }),
      ];
      const bad: Readonly<Record<string, readonly Uint8Array[]>> = {
        "not a frame": [Buffer.alloc(64, 0xff)],
        "a frame before HELLO": [frames.sealFrame()],
        "another version": [Buffer.concat([frames.helloFrame(1).subarray(0, 12), Buffer.from([9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])])],
        "a stale epoch": [frames.helloFrame(0)],
        "a command before SEAL": [frames.helloFrame(1), ...command],
        "a rule after SEAL": [...setup, frames.ruleFrame({ path: "/", rights: 4n })],
        "EXEC without ARGS": [...setup, ...command.slice(-1)],
        "a stream that was used before": [...setup, ...command, ...frames.argumentFrames(4, strings("/"))],
        "more strings than were announced": [
          ...setup,
          ...frames.argumentFrames(5, strings("/", "/bin/sleep", "1000", "extra")),
          ...command.slice(-1),
        ],
        "more stdin than credit": [...setup, ...command, ...Array.from({ length: 12 }, () => frames.stdinFrame(5, Buffer.alloc(65_536)))],
        "SIGKILL for everything": [...setup, frames.signalFrame(0, 9)],
      };
      const decoded = guardFrameDecoder();
      await using control = await startGuard({ identity });
      control.channel.write(
        Buffer.concat([...setup, ...command, ...Array.from({ length: 4 }, () => frames.stdinFrame(5, Buffer.alloc(65_536)))]),
      );
      const seen: number[] = [];
      for await (const chunk of control.channel) {
        for (const { type } of decoded.push(chunk as Buffer)) seen.push(type);
        if (seen.includes(frameTypes.started)) break;
      }
      assert.ok(!seen.includes(frameTypes.notStarted), "without a violation the command runs");
      for (const [what, sent] of Object.entries(bad)) {
        await using raw = await startGuard({ identity });
        raw.channel.on("error", () => {}).resume();
        raw.channel.write(Buffer.concat(sent));
        assert.equal(await raw.exited, exitStatus.protocol, what);
      }
    });
  });
}

suite("guard's program", () => {
  test("the seccomp filter refuses row by row what its table says, and lets its neighbours pass", () => {
    const result = spawnSync(path.join(root, "build/test/filter-rows"), { encoding: "utf8" });
    assert.match(result.stdout, /^\d{3} passed, 0 failed$/mu, result.stdout);
  });

  test("`guard probe` tells what this kernel offers", () => {
    const result = spawnSync(guardPath, ["probe"], { encoding: "utf8" });
    const probe = parseProbe(result.stdout);
    assert.ok(probe !== undefined && probe.landlockAbi >= 6 && probe.hasSeccomp && !probe.isTestBuild, result.stdout);
  });

  test("a product guard refuses --without by a status of its own; outside a sandbox it does not serve", () => {
    assert.equal(spawnSync(guardPath, ["serve", "--without=seccomp"]).status, exitStatus.testOption);
    assert.equal(spawnSync(guardPath, ["serve"]).status, exitStatus.usage);
    assert.equal(spawnSync(guardPath, ["serve", "--unknown"]).status, exitStatus.usage);
  });

  test("a test build is refused by a product session, and says which layers it left out", async () => {
    await assert.rejects(openGuard({ guard: testGuardPath }), { code: "WALL_UNAVAILABLE", situation: "guard.test-build" });
    await using raw = await startGuard({ guard: testGuardPath, guardArguments: ["--without=landlock,seccomp"] });
    const session = openGuardSession(raw.channel, { allowTestBuild: true });
    const ready = await session.configure(rules);
    assert.deepEqual(ready.layers, ["descriptors", "noNewPrivs", "capabilities", "rlimits"]);
    const execution = await startShell(session, "cat /proc/self/status");
    assert.match((await collect(execution.output)).stdout.toString(), /^Seccomp:\s+0$/mu);
  });
});

if (process.getuid?.() === 0) {
  suite("launcher", () => {
    function launch(
      operations: readonly LayoutOperation[],
      command: readonly string[],
      user: SpawnSyncOptions = {},
      program = launcherPath,
    ) {
      const input = layoutText([...operations, runOperation(command)]);
      const { status, stdout, stderr } = spawnSync(program, [], { ...user, input, encoding: "utf8" });
      return { status, stdout, stderr };
    }
    const uid = (): LayoutOperation => ["uid", String(freshUid())];

    test("files made through an idmapped root belong to its owner, whose private files can be read", async (context) => {
      const base = await scratch(context);
      await mkdir(`${base}/stage`);
      await mkdir(`${base}/tree`, { mode: 0o700 });
      await writeFile(`${base}/tree/private`, "secret", { mode: 0o600 });
      const allocated = freshUid();
      const script = `cat ${base}/stage/t/private && echo new > ${base}/stage/t/made && id -u && chmod u+s ${base}/stage/t/made; cat ${base}/tree/private`;
      const result = launch(
        [
          ["uid", String(allocated)],
          ["stage", `${base}/stage`],
          ["idmap", `${base}/tree`, "-", "t"],
        ],
        ["/bin/sh", "-c", script],
      );
      assert.equal(result.stdout, `secret${allocated}\n`, "the tree itself stays closed");
      assert.equal((await stat(`${base}/tree/made`)).uid, 0);
      assert.equal(await readFile(`${base}/tree/made`, "utf8"), "new\n");
      assert.deepEqual((await readFile("/proc/self/mountinfo", "utf8")).match(new RegExp(base, "gu")), null);
    });

    test("each failure has its status and one line", async (context) => {
      const base = await scratch(context);
      await mkdir(`${base}/with space`);
      await mkdir(`${base}/closed`, { mode: 0o700 });
      await mkdir(`${base}/closed/stage`);
      const stage: LayoutOperation = ["stage", `${base}/stage`];
      await mkdir(`${base}/stage`);
      const idmap = (source: string, destination = "x"): LayoutOperation => ["idmap", source, "-", destination];
      const cases: readonly (readonly [readonly LayoutOperation[], number, string])[] = [
        [[uid(), ["stage", `${base}/no`]], 82, `stage ${base}/no ENOENT`],
        [[uid(), stage, idmap("/no such")], 83, "source /no%20such ENOENT"],
        [[uid(), stage, idmap("/proc/self")], 83, "source /proc/self ELOOP"],
        [[uid(), stage, idmap("/proc/sys")], 84, "idmap /proc/sys EINVAL"],
        [[uid(), ["stage", `${base}/closed/stage`]], 82, `stage ${base}/closed/stage EACCES`],
        [[uid(), stage, ["bind-ro", base, "1:2", "x"]], 92, `changed ${base} ESTALE`],
        [[uid(), stage, ["bind-ro", "/no such", "1:2", "x"]], 92, "changed /no%20such ENOENT"],
        [[uid(), stage, idmap("/tmp", "../x")], 85, "attach ../x EXDEV"],
        [[uid(), stage, ["bind", base, "-", "b"], ["directory", "b/ghost", "0755"]], 85, "attach b/ghost EXDEV"],
        [[uid(), stage, ["bind", base, "-", "b"], ["file", "b/ghost", ""]], 85, "attach b/ghost EXDEV"],
        [[uid(), stage, ["bind", base, "-", "b"], ["text", "b/ghost", ""]], 85, "attach b/ghost EXDEV"],
        [[["uid", "0"], stage], 80, "usage - EINVAL"],
        [[stage], 80, "usage - EPERM"],
        [[uid(), idmap("/tmp"), stage], 80, "usage - EINVAL"],
        [[uid(), stage, uid()], 80, "usage - EINVAL"],
        [[uid(), stage, stage], 80, "usage - EINVAL"],
        [[uid(), stage, ["mystery"]], 80, "usage - EINVAL"],
      ];
      for (const [operations, status, line] of cases) {
        const found = launch(operations, ["/bin/true"]);
        assert.deepEqual(found, { status, stdout: "", stderr: `launcher: ${line}\n` }, JSON.stringify(operations));
      }
      assert.equal(existsSync(`${base}/ghost`), false, "nothing was made on the host");
      assert.equal(launch([uid(), stage], ["/no/command"]).stderr, "launcher: exec /no/command ENOENT\n");
      assert.equal(launch([uid(), stage], ["true"]).status, 80);
    });

    test("a layout that is cut short before its command runs nothing", () => {
      const whole = layoutText([uid(), runOperation(["/bin/echo", "ran"])]);
      const run = (input: string) => spawnSync(launcherPath, [], { input, encoding: "utf8" }).stdout;
      assert.equal(run(whole), "ran\n");
      const parts = [
        whole.slice(0, -1),
        whole.replace("3:run", "4:run"),
        whole.replace("9:/bin", "8:/bin"),
        whole.replace("1:2", "1:3"),
        "",
        "3:run,",
      ];
      for (const part of parts) assert.equal(run(part), "", part);
    });

    test("what follows the command appears where the view is shown, read-only in the end, and then it is said to be whole", async (context) => {
      const base = await scratch(context);
      await mkdir(`${base}/stage`);
      spawnSync("/usr/bin/mkfifo", ["-m", "666", `${base}/go`]);
      const script = `read go <${base}/go; cat ${base}/shown/etc/name; echo more >${base}/shown/etc/name || echo kept`;
      // Another namespace, that took its mounts before the rest was laid out.
      const elsewhere = `mount --make-rslave / && mkdir ${base}/shown && mount --rbind ${base}/stage/view ${base}/shown && echo begun && exec sh -c '${script}'`;
      const command = ["/usr/bin/unshare", "-rm", "--propagation", "unchanged", "/bin/sh", "-c", elsewhere];
      await chmod(base, 0o777);
      const first = layoutText([uid(), ["stage", `${base}/stage`], ["mask", "view", "0755"], ["share", "view"], runOperation(command)]);
      const rest = layoutText([["scratch", "view/etc", "0755", "65536"], ["text", "view/etc/name", "value\n"], ["seal"]]);
      const child = spawn(launcherPath, [], { stdio: ["pipe", "pipe", "pipe"] });
      child.stdin.write(first);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      assert.equal((await lines.next()).value, "begun");
      child.stdin.end(rest);
      const [said] = (await once(createInterface({ input: child.stderr }), "line")) as [string];
      assert.equal(said, "launcher: whole");
      await writeFile(`${base}/go`, "go\n");
      assert.deepEqual([(await lines.next()).value, (await lines.next()).value], ["value", "kept"]);
    });

    test("a rest that is not understood is a failure, and never a whole view", async (context) => {
      const base = await scratch(context);
      await mkdir(`${base}/stage`);
      spawnSync("/usr/bin/mkfifo", ["-m", "666", `${base}/go`]);
      await chmod(base, 0o711);
      const broken = `${layoutText([uid(), ["stage", `${base}/stage`], runOperation(["/bin/cat", `${base}/go`])])}7:mystery,`;
      const failed = spawn(launcherPath, [], { stdio: ["pipe", "ignore", "pipe"] });
      failed.stdin.end(broken);
      const [why] = (await once(createInterface({ input: failed.stderr }), "line")) as [string];
      assert.equal(why, "launcher: usage - EINVAL");
      await writeFile(`${base}/go`, "");
      await once(failed, "close");
    });

    test("what it started dies with who started it", async (context) => {
      const base = await scratch(context);
      await writeFile(`${base}/layout`, layoutText([uid(), runOperation(["/bin/sleep", "1000"])]));
      const script = `${launcherPath} <${base}/layout & echo $!; wait`;
      const parent = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(line.toString());
      const name = (): string | undefined => {
        try {
          return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
        } catch {
          return undefined; // gone
        }
      };
      await eventually("the launcher has become sleep", () => (name() === "sleep" ? true : undefined));
      parent.kill("SIGKILL");
      await eventually("sleep is gone", () => (name() === "sleep" ? undefined : true));
    });

    test("an ordinary user becomes nobody else, and keeps no capability of the namespace that it was laid out in", async (context) => {
      const program = `${await scratch(context)}/launcher`;
      copyFileSync(launcherPath, program);
      const user = { uid: 65_534, gid: 65_534 };
      assert.deepEqual(launch([uid()], ["/bin/true"], user, program), { status: 80, stdout: "", stderr: "launcher: usage - EPERM\n" });
      const script =
        "id -u; grep -E '^Cap(Prm|Eff|Amb)' /proc/self/status | tr -d '\\n\\t0'; mount -t tmpfs t /run 2>/dev/null && echo mounted";
      assert.equal(launch([["stage", "/run"]], ["/bin/sh", "-c", script], user, program).stdout, "65534\nCapPrm:CapEff:CapAmb:");
    });
  });
}
