// The real guard under a plain bubblewrap: commands, streams, signals and the end of trees. The walls' own test is guard-walls.test.ts.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import {
  collect,
  descendants,
  eventually,
  type HostProcess,
  identities,
  type OpenGuard,
  openGuard,
  readUntil,
  start,
  startShell,
} from "./guard-fixture.ts";

function bwrapPid(guard: OpenGuard): number {
  const { pid } = guard.process;
  assert.ok(pid !== undefined);
  return pid;
}

function named(guard: OpenGuard, name: string): readonly HostProcess[] {
  return descendants(bwrapPid(guard)).filter((process) => process.name === name);
}

function statusNumber(pid: number, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "mu").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** The guard is bubblewrap's only child. */
function guardPid(guard: OpenGuard): number {
  const [first] = descendants(bwrapPid(guard)).filter(({ parent }) => parent === bwrapPid(guard));
  assert.ok(first !== undefined);
  return first.pid;
}

async function nothingButTheWaitingKeeper(guard: OpenGuard): Promise<void> {
  await eventually("nothing is left but the keeper that waits", () => {
    const left = descendants(guardPid(guard));
    return left.length === 1 && left[0]?.name === "guard" ? true : undefined;
  });
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ESRCH");
  }
}

for (const identity of identities) {
  suite(`guard started by ${identity}`, { timeout: 60_000 }, () => {
    test("exec() starts a command that ignores and blocks no signal, whatever its starter ignored", async () => {
      await using guard = await openGuard({ identity, ignoresHangup: true });
      const ignored = Number.parseInt(/^SigIgn:\s+(\w+)/mu.exec(readFileSync(`/proc/${bwrapPid(guard)}/status`, "utf8"))?.[1] ?? "", 16);
      assert.equal(ignored & 1, 1, "the starter does not ignore a hangup");
      const execution = await start(guard.session, ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]);
      const { stdout } = await collect(execution.output);
      assert.match(stdout.toString(), /^SigBlk:\s+0+\nSigIgn:\s+0+\n$/u);
    });

    test("exec() gives output, exit code and usage", async () => {
      await using guard = await openGuard({ identity });
      const execution = await startShell(guard.session, "echo out; echo err >&2; exit 7");
      const { stdout, stderr } = await collect(execution.output);
      assert.equal(stdout.toString(), "out\n");
      assert.equal(stderr.toString(), "err\n");
      const exit = await execution.exit;
      assert.ok(exit.kind === "exited");
      assert.equal(exit.code, 7);
      assert.ok(exit.usage.maxRssBytes > 100_000);
    });

    test("exec() gives exactly the environment, the directory, the umask and three descriptors", async () => {
      await using guard = await openGuard({ identity });
      const environment = { PATH: "/usr/bin:/bin", "ODD NAME": "a b\nc", EMPTY: "" };
      const seen = await start(guard.session, ["env", "-0"], { environment });
      const lines = (await collect(seen.output)).stdout.toString().split("\0").slice(0, -1);
      assert.deepEqual(
        lines.toSorted(),
        Object.entries(environment)
          .map(([name, value]) => `${name}=${value}`)
          .toSorted(),
      );
      const rest = await start(guard.session, ["sh", "-c", "pwd; umask; ls /proc/self/fd | wc -l"], { cwd: "/usr" });
      assert.equal((await collect(rest.output)).stdout.toString(), "/usr\n0022\n4\n"); // ls itself has one open
    });

    test("exec() reports 127 for no such file and 126 for one that cannot be executed, and nothing ran", async () => {
      await using guard = await openGuard({ identity });
      const cases = [
        { argv: ["no-such-command"], code: 127, errno: "ENOENT" },
        { argv: ["/usr/bin/no-such-command"], code: 127, errno: "ENOENT" },
        { argv: ["/etc/passwd"], code: 126, errno: "EACCES" },
        { argv: ["/usr"], code: 126, errno: "EACCES" },
        { argv: [""], code: 127, errno: "ENOENT" },
      ] as const;
      for (const { argv, code, errno } of cases) {
        const execution = await start(guard.session, argv);
        assert.deepEqual(await execution.exit, { kind: "not-started", code, errno });
        assert.equal((await collect(execution.output)).stdout.length, 0);
      }
      const script = await startShell(guard.session, "printf 'echo hi' > script; chmod +x script; printf x > plain");
      await collect(script.output);
      const text = await start(guard.session, ["/tmp/script"]);
      assert.deepEqual(await text.exit, { kind: "not-started", code: 126, errno: "ENOEXEC" });
      const lost = await start(guard.session, ["true"], { cwd: "/no-such-directory" });
      assert.deepEqual(await lost.exit, { kind: "not-started", code: 126, errno: "ENOENT", stage: "directory" });
      await eventually("every stream is over", () => (guard.session.openCommands === 0 ? true : undefined));
    });

    test("stdin reaches the command byte for byte, and its end too", async () => {
      await using guard = await openGuard({ identity });
      const every = Buffer.from(Array.from({ length: 1 << 20 }, (_, index) => (index * 7 + (index >> 8)) & 0xff));
      const execution = await start(guard.session, ["cat"]);
      const output = collect(execution.output);
      await execution.writeStdin(every);
      execution.endStdin();
      const { stdout } = await output;
      assert.equal(createHash("sha256").update(stdout).digest("hex"), createHash("sha256").update(every).digest("hex"));
      await assert.rejects(execution.writeStdin(Buffer.from("late")), { code: "SANDBOX_CLOSED" });
    });

    test("NUL bytes, bytes that are not UTF-8 and a line of 10 MB pass unharmed", async () => {
      await using guard = await openGuard({ identity });
      const odd = await startShell(guard.session, String.raw`printf '\000\377\376\200\n\000'`);
      assert.equal((await collect(odd.output)).stdout.toString("hex"), "00fffe800a00");
      const line = await startShell(guard.session, "head -c 10000000 /dev/zero | tr '\\0' x");
      const { stdout } = await collect(line.output);
      assert.equal(stdout.length, 10_000_000);
      assert.ok(stdout.every((byte) => byte === 0x78));
    });

    test("1 MiB of arguments arrives whole", async () => {
      await using guard = await openGuard({ identity });
      const parts = Array.from({ length: 16 }, (_, index) => String.fromCodePoint(97 + index).repeat(65_536));
      const execution = await start(guard.session, ["sh", "-c", 'printf %s "$@" | sha256sum', "sh", ...parts]);
      const expected = createHash("sha256").update(parts.join("")).digest("hex");
      assert.match((await collect(execution.output)).stdout.toString(), new RegExp(`^${expected}`, "u"));
    });

    test("signal() reaches the whole process group", async () => {
      await using guard = await openGuard({ identity });
      const execution = await startShell(guard.session, "trap 'echo got; exit 9' USR1; sleep 1000 & echo ready; wait");
      const chunks = execution.output[Symbol.asyncIterator]();
      await readUntil(chunks, "ready");
      await eventually("its sleep runs", () => (named(guard, "sleep").length === 1 ? true : undefined)); // before, it is a shell with a trap
      execution.signal("SIGUSR1");
      await readUntil(chunks, "got");
      const exit = await execution.exit;
      assert.ok(exit.kind === "exited" && exit.code === 9);
      await eventually("the sleep in its group is gone", () => (named(guard, "sleep").length === 0 ? true : undefined));
      const plain = await start(guard.session, ["sleep", "1000"]);
      plain.signal("SIGTERM");
      const ended = await plain.exit;
      assert.ok(ended.kind === "signalled" && ended.signal === 15);
    });

    test("a pty has the size asked for, resizes, and turns bytes into signals", async () => {
      await using guard = await openGuard({ identity });
      const pty = { rows: 33, columns: 101 };
      const execution = await start(guard.session, ["sh", "-c", "trap 'stty size' WINCH; stty size; tty; while :; do read -r line; done"], {
        pty,
      });
      const chunks = execution.output[Symbol.asyncIterator]();
      const first = await readUntil(chunks, "/dev/pts/");
      assert.match(first, /33 101/u);
      execution.resize({ rows: 40, columns: 132 });
      await readUntil(chunks, "40 132");
      await execution.writeStdin(Buffer.from("\u0003"));
      const exit = await execution.exit;
      assert.ok(exit.kind === "signalled" && exit.signal === 2);
      const reader = await start(guard.session, ["cat"], { pty });
      await reader.writeStdin(Buffer.from("line\n"));
      reader.endStdin();
      assert.equal((await collect(reader.output)).stdout.toString(), "line\r\nline\r\n");
    });

    test("a reader that stalls holds the command back, and nothing grows", async () => {
      await using guard = await openGuard({ identity });
      const execution = await start(guard.session, ["yes", "0123456789abcdef"]);
      const yes = await eventually("yes runs", () => named(guard, "yes")[0]);
      const written = (): number => Number(/wchar: (\d+)/u.exec(readFileSync(`/proc/${yes.pid}/io`, "utf8"))?.[1]);
      let last = -1;
      let same = 0;
      const bytes = await eventually("yes is held", () => {
        const now = written();
        same = now === last ? same + 1 : 0;
        last = now;
        return same >= 30 ? now : undefined;
      });
      assert.ok(bytes < 2 * 262_144, `${bytes} bytes left the command`);
      const residentKib = statusNumber(guardPid(guard), "VmRSS");
      assert.ok(residentKib < 3 * 1024, `the guard holds ${residentKib} KiB`);
      const other = await startShell(guard.session, "echo still here");
      assert.equal((await collect(other.output)).stdout.toString(), "still here\n");
      const chunks = execution.output[Symbol.asyncIterator]();
      for (let taken = 0; taken < 4 * 262_144;) {
        const next = await chunks.next();
        assert.ok(next.done !== true);
        taken += next.value.bytes.length;
      }
      assert.ok(written() > bytes);
      await execution.killTree();
    });

    test("writeStdin() waits for a command that does not read", async () => {
      await using guard = await openGuard({ identity });
      const execution = await start(guard.session, ["sleep", "1000"]);
      let hasSettled = false;
      // More than the guard takes and throws away between the end of the command and the end of its tree, on a busy machine too.
      const writing = execution.writeStdin(Buffer.alloc(64 << 20)).finally(() => {
        hasSettled = true;
      });
      const other = await startShell(guard.session, "echo alive");
      assert.equal((await collect(other.output)).stdout.toString(), "alive\n");
      assert.equal(hasSettled, false);
      const refused = assert.rejects(writing, { code: "SANDBOX_CLOSED" });
      await execution.killTree();
      await refused;
    });

    test("killTree() ends daemons that left the session, and only its own tree", async () => {
      await using guard = await openGuard({ identity });
      const neighbour = await start(guard.session, ["sleep", "2000"]);
      const daemon =
        "setsid sh -c 'setsid sleep 1000 </dev/null >/dev/null 2>&1 & trap \"\" TERM HUP; sleep 1000' </dev/null >/dev/null 2>&1 &";
      const execution = await startShell(guard.session, `(${daemon}); (sleep 1000 &); echo ready; exit 0`);
      const chunks = execution.output[Symbol.asyncIterator]();
      await readUntil(chunks, "ready");
      assert.ok((await execution.exit).kind === "exited");
      await eventually("three sleeps of the tree and the neighbour's", () => (named(guard, "sleep").length === 4 ? true : undefined));
      await execution.killTree();
      assert.equal(named(guard, "sleep").length, 1);
      assert.equal((await chunks.next()).done, true);
      neighbour.signal("SIGKILL");
      const ended = await neighbour.exit;
      assert.ok(ended.kind === "signalled" && ended.signal === 9);
    });

    test("killTree() outruns a tree that keeps forking", async () => {
      await using guard = await openGuard({ identity });
      const execution = await startShell(
        guard.session,
        "n=0; while :; do (setsid sh -c 'sleep 1000 & sleep 1000' &); n=$((n+1)); [ $n = 40 ] && echo ready; done",
      );
      const chunks = execution.output[Symbol.asyncIterator]();
      await readUntil(chunks, "ready");
      await execution.killTree();
      assert.deepEqual(named(guard, "sleep"), []);
      await nothingButTheWaitingKeeper(guard);
    });

    test("the end of the channel ends everything", async () => {
      await using guard = await openGuard({ identity });
      await startShell(guard.session, "trap '' TERM HUP INT; setsid sleep 1000 & sleep 1000");
      const inside = await eventually("both sleeps", () => (named(guard, "sleep").length === 2 ? descendants(bwrapPid(guard)) : undefined));
      guard.channel.destroy();
      await guard.exited;
      for (const { pid, name } of inside) {
        await eventually(`${name} is gone`, () => {
          try {
            return readFileSync(`/proc/${pid}/comm`, "utf8").trim() === name ? undefined : true;
          } catch {
            return true;
          }
        });
      }
    });

    test("close() lets commands end on SIGTERM, and does not wait for those that refuse", async () => {
      await using guard = await openGuard({ identity });
      const polite = await startShell(guard.session, "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.05; done");
      const chunks = polite.output[Symbol.asyncIterator]();
      await readUntil(chunks, "ready");
      const stubborn = await startShell(guard.session, "trap '' TERM; echo ready; while :; do sleep 0.05; done");
      await readUntil(stubborn.output[Symbol.asyncIterator](), "ready");
      const [, farewell] = await Promise.all([guard.session.close(500), readUntil(chunks, "bye")]);
      assert.match(farewell, /bye\n$/u);
      const exit = await polite.exit;
      assert.ok(exit.kind === "exited" && exit.code === 3);
      assert.equal((await stubborn.exit).kind, "lost");
      assert.equal(await guard.exited, 0);
      await guard.session.close();
      await assert.rejects(start(guard.session, ["true"]), { code: "SANDBOX_CLOSED" });
    });

    test("input that comes when the last process has just gone is credited to nobody, and the session goes on", async () => {
      await using guard = await openGuard({ identity });
      const execution = await startShell(guard.session, "exec sleep 1000 >&- 2>&-");
      await collect(execution.output);
      const sleeper = await eventually("the program", () => descendants(guardPid(guard)).find(({ name }) => name === "sleep"));
      // The guard finds the end of the tree and the input at the same moment.
      process.kill(guardPid(guard), "SIGSTOP");
      const state = (): string => readFileSync(`/proc/${guardPid(guard)}/stat`, "latin1").split(") ")[1] ?? "";
      await eventually("the guard stands still", () => (state().startsWith("T") ? true : undefined));
      process.kill(sleeper.pid, "SIGKILL");
      await eventually("the end of the keeper", () => (descendants(guardPid(guard)).length === 0 ? true : undefined));
      await execution.writeStdin(Buffer.from("x"));
      process.kill(guardPid(guard), "SIGCONT");
      assert.equal((await execution.exit).kind, "signalled");
      await execution.gone;
      const next = await startShell(guard.session, "echo here");
      assert.equal((await collect(next.output)).stdout.toString(), "here\n");
    });

    test("a waiting keeper that is killed costs nothing: the next command has a new one", async () => {
      await using guard = await openGuard({ identity });
      for (let count = 0; count < 3; count++) {
        const execution = await startShell(guard.session, "exit 7");
        await collect(execution.output);
        const exit = await execution.exit;
        assert.ok(exit.kind === "exited" && exit.code === 7);
        await nothingButTheWaitingKeeper(guard);
        const waiting = descendants(guardPid(guard)).map(({ pid }) => pid);
        for (const pid of waiting) killIfThere(pid); // the last command's own keeper may be leaving just now
        // Reaped, and not only dead: until its last thread has ended, it takes an errand that it will not do.
        await eventually("it is reaped", () => (waiting.some((pid) => existsSync(`/proc/${pid}`)) ? undefined : true));
      }
    });

    test("a command whose arguments do not fit into a packet, and the one beside it, run as every other", async () => {
      await using guard = await openGuard({ identity });
      await collect((await start(guard.session, ["true"])).output);
      await nothingButTheWaitingKeeper(guard);
      const long = "x".repeat(100_000);
      const executions = [await start(guard.session, ["echo", long]), await startShell(guard.session, "echo beside")];
      const [first, second] = await Promise.all(executions.map(async ({ output }) => (await collect(output)).stdout.toString()));
      assert.equal(first, `${long}\n`);
      assert.equal(second, "beside\n");
      await nothingButTheWaitingKeeper(guard);
    });

    test("300 commands one after another and 60 at once leave nothing behind", async () => {
      await using guard = await openGuard({ identity });
      const ends = async (): Promise<void> => {
        const execution = await start(guard.session, ["true"]);
        await collect(execution.output);
        const exit = await execution.exit;
        assert.ok(exit.kind === "exited" && exit.code === 0);
      };
      for (let count = 0; count < 300; count++) await ends();
      await Promise.all(Array.from({ length: 60 }, ends));
      await eventually("no stream is open", () => (guard.session.openCommands === 0 ? true : undefined));
      await nothingButTheWaitingKeeper(guard);
      assert.ok(statusNumber(guardPid(guard), "VmRSS") < 3 * 1024);
    });
  });
}
