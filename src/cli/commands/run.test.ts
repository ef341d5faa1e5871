// `glovebox run`: what is asked of the door, and how streams, terminal and signals are joined; no process is started.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import type { SignalName } from "../../contracts/boundary.ts";
import type { Door, RunIo, RunRequest } from "../../contracts/door.ts";
import { fakeResult } from "../testing/fake-door.ts";
import { inDirectory } from "../testing/in-directory.ts";
import { callCli, type FakeCall, type FakeCallOptions } from "../testing/run-fake-cli.ts";
import { writing } from "../testing/writing-door.ts";

const allTerminals = ["stdin", "stdout", "stderr"] as const;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const requestOf = (call: FakeCall): RunRequest => {
  const found = call.door.calls.find(({ method }) => method === "run");
  assert.ok(found !== undefined, call.err());
  return found.values[0] as RunRequest;
};

const waitForAbort = (io: RunIo): Promise<void> => {
  if (io.signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  io.signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
};

test("run hands the command over word for word, with project, directory and environment", async () => {
  await inDirectory(async (cwd) => {
    const call = await callCli(["run", "--", "printf", "%s", "", "a b\n"], { cwd, env: { LANG: "C", SECRET: "x" } });
    assert.equal(call.code, 0);
    const request = requestOf(call);
    assert.deepEqual(request.argv, ["printf", "%s", "", "a b\n"]);
    assert.equal(request.cwd, cwd);
    assert.deepEqual(request.policy, { projectDirectory: cwd });
    assert.equal(request.callerEnvironment["SECRET"], "x");
    assert.equal(request.pty, undefined);
  });
});

test("run turns flags into a policy fragment with absolute paths", async () => {
  await inDirectory(async (cwd) => {
    const flags = [
      "--allow-write",
      "out",
      "--allow-write=/srv/x",
      "--deny-read",
      "~/notes",
      "--pass",
      "EDITOR",
      "--env",
      "A=b=c",
      "--env=EMPTY=",
    ];
    const limits = ["--wall", "90s", "--output-limit", "10MiB", "--policy", "p.yaml"];
    const request = requestOf(await callCli(["run", ...flags, ...limits, "--", "true"], { cwd }));
    assert.deepEqual(request.policy.overrides, {
      filesystem: { denyRead: ["~/notes"], allowWrite: [path.join(cwd, "out"), "/srv/x"] },
      environment: { pass: ["EDITOR"], set: { A: "b=c", EMPTY: "" } },
      limits: { wall: "90s", output: "10MiB" },
    });
    assert.equal(request.policy.policyFile, path.join(cwd, "p.yaml"));
  });
});

test("the flags of limits become numbers and texts of the policy, and what is no number stays for the policy to refuse", async () => {
  await inDirectory(async (cwd) => {
    const flags = [
      "--cpu-time",
      "5m",
      "--cpu-cores",
      "1.5",
      "--memory",
      "4GiB",
      "--processes",
      "512",
      "--disk",
      "8GiB",
      "--open-files",
      "many",
    ];
    const request = requestOf(await callCli(["run", ...flags, "--", "true"], { cwd }));
    const limits = { cpuTime: "5m", cpuCores: 1.5, memory: "4GiB", processes: 512, disk: "8GiB", openFiles: "many" };
    assert.deepEqual(request.policy.overrides, { limits });
  });
});

test("run starts nothing on a usage error", async () => {
  await inDirectory(async (cwd) => {
    const wrong = [
      ["--env", "NOVALUE"],
      ["--env", "1A=x"],
      ["--env", "=x"],
      ["--cwd", "absent"],
      ["--project", "absent"],
      ["--project", "/"],
      ["--deny-read="],
      ["--pty", "--no-pty"],
      ["--result-file", "absent/result.json"],
      ["--result-file", "."],
    ];
    for (const flags of wrong) {
      const call = await callCli(["run", ...flags, "--", "true"], { cwd });
      assert.equal(call.code, 2, flags.join(" "));
      assert.match(call.err(), /code: USAGE_INVALID/u);
      assert.equal(call.doorOpened, 0, flags.join(" "));
    }
    assert.deepEqual(await readdir(cwd), []);
  });
});

test("run refuses the home directory, what is above it, and / as the project", async () => {
  await inDirectory(async (home) => {
    for (const cwd of [home, path.dirname(home), "/"]) {
      const call = await callCli(["run", "--", "true"], { cwd, home });
      assert.equal(call.code, 2);
      assert.match(call.err(), /--project DIR/u);
      assert.equal(call.doorOpened, 0);
    }
  });
});

test("run passes the command's exit code and output through unchanged, also bytes that are not UTF-8", async () => {
  const raw = Uint8Array.from([0, 0xff, 0xfe, 0x1b, 0x5b, 0x32, 0x4a, 0x0a]);
  const call = await callCli(["run", "--", "x"], {
    door: writing(
      [
        ["stdout", raw],
        ["stderr", "problem\n"],
      ],
      { outcome: "failed", exitCode: 42, child: { kind: "exited", value: 42 } },
    ),
  });
  assert.equal(call.code, 42);
  assert.deepEqual(new Uint8Array(call.stdout.bytes), raw);
  assert.equal(call.err(), "problem\n");
});

test("run streams standard input and ends it, also from a terminal that the command does not get, but not from another job's", async () => {
  const read: Partial<Door> = {
    run: async (_request, io) => {
      for await (const chunk of io.stdin ?? []) await io.onOutput({ channel: "stdout", bytes: chunk });
      await io.onOutput({ channel: "stdout", bytes: bytes(io.stdin === undefined ? "none" : "end") });
      return fakeResult();
    },
  };
  assert.equal((await callCli(["run", "--", "cat"], { stdin: "hello ", door: read })).out(), "hello end");
  const typed = await callCli(["run", "--", "cat"], { stdin: "typed ", terminals: ["stdin"], door: read });
  assert.equal(typed.out(), "typed end");
  assert.deepEqual(typed.stdin.rawModes, [], "line by line");
  assert.equal((await callCli(["run", "--", "cat"], { isInputNull: true, door: read })).out(), "none", "nobody waits for the null device");
  const background = { stdin: "typed ", terminals: allTerminals, isInBackground: true, door: read };
  assert.equal((await callCli(["run", "--", "cat"], background)).out(), "none");
  assert.equal(requestOf(await callCli(["run", "--", "cat"], background)).pty, undefined);
});

test("run ends a command that has our terminal when ctrl-] is typed three times, and not for ctrl-c", async () => {
  for (const { typed, ends } of [
    { typed: "\u001D\u001D\u001D", ends: true },
    { typed: "\u0003\u0003\u0003", ends: false },
  ]) {
    let wasAborted = false;
    const door: Partial<Door> = {
      run: async (_request, io) => {
        for await (const chunk of io.stdin ?? []) assert.equal(new TextDecoder().decode(chunk), typed);
        wasAborted = io.signal.aborted;
        return fakeResult();
      },
    };
    await callCli(["run", "--", "x"], { terminals: allTerminals, stdin: typed, door });
    assert.equal(wasAborted, ends);
  }
});

test("run --help says how a command is ended with and without a terminal of its own, in both languages", async () => {
  for (const language of ["en", "zh"]) assert.match((await callCli(["run", "--help", "--lang", language])).out(), /ctrl-c[^]*ctrl-\]/u);
});

test("run lets standard input go when the command ends first", async () => {
  const door: Partial<Door> = {
    run: async (_request, io) => {
      const reader = io.stdin?.[Symbol.asyncIterator]();
      const pending = reader?.next();
      void pending?.then(() => undefined);
      return fakeResult();
    },
  };
  const call = await callCli(["run", "--", "true"], { door });
  assert.equal(call.code, 0);
  assert.equal(call.stdin.listenerCount("readable"), 0);
  assert.equal(call.stdin.wasUnreferenced, true);
});

test("run holds the command back until its output is taken", async () => {
  let taken = 0;
  const door: Partial<Door> = {
    run: async (_request, io) => {
      for (let index = 0; index < 3; index += 1) {
        await io.onOutput({ channel: "stdout", bytes: bytes("x") });
        taken = index + 1;
        assert.equal(callStdout?.bytes.length, taken);
      }
      return fakeResult();
    },
  };
  let callStdout: FakeCall["stdout"] | undefined;
  const call = await callCli(["run", "--", "x"], {
    door,
    during: ({ stdout }) => {
      callStdout = stdout;
    },
  });
  assert.equal(call.code, 0);
  assert.equal(taken, 3);
});

test("run ends the command quietly with 141 when the reader leaves", async () => {
  let wasAborted = false;
  const door: Partial<Door> = {
    run: async (_request, io) => {
      await io.onOutput({ channel: "stdout", bytes: bytes("1\n") });
      await io.onOutput({ channel: "stdout", bytes: bytes("2\n") });
      await waitForAbort(io);
      wasAborted = true;
      await io.onOutput({ channel: "stdout", bytes: bytes("3\n") });
      return fakeResult({ outcome: "cancelled", exitCode: 143 });
    },
  };
  const call = await callCli(["run", "--sheet", "--", "yes"], { door, stdoutFailure: { errno: "EPIPE", at: 1 } });
  assert.equal(call.code, 141);
  assert.equal(call.out(), "1\n");
  assert.equal(call.err(), "");
  assert.ok(wasAborted);
});

test("run ends the command and says so when its output cannot be written", async () => {
  const door: Partial<Door> = {
    run: async (_request, io) => {
      await io.onOutput({ channel: "stdout", bytes: bytes("1\n") });
      await waitForAbort(io);
      return fakeResult({ outcome: "cancelled", exitCode: 143 });
    },
  };
  const call = await callCli(["run", "--", "x"], { door, stdoutFailure: { errno: "ENOSPC", at: 0 } });
  assert.equal(call.code, 125);
  assert.match(call.err(), /ENOSPC[^]*code: RESULT_UNWRITABLE/u);
});

/** Emits signals once the command runs, and returns what reached it. */
async function signalling(signals: readonly ("SIGINT" | "SIGTERM" | "SIGHUP")[], options: FakeCallOptions = {}) {
  const received: SignalName[] = [];
  const started = Promise.withResolvers<void>();
  let wasAborted = false;
  const door: Partial<Door> = {
    run: async (_request, io) => {
      io.onStart({ signal: (name) => void received.push(name), resize: () => {} });
      started.resolve();
      await waitForAbort(io);
      wasAborted = true;
      return fakeResult({ outcome: "cancelled", exitCode: 130 });
    },
  };
  const call = await callCli(["run", "--", "x"], {
    ...options,
    door,
    during: ({ events }) => {
      void started.promise.then(() => {
        for (const name of signals) events.emit(name);
      });
    },
  });
  return { call, received, wasAborted };
}

test("run forwards each signal once, ends at the second, and takes its listeners away", async () => {
  const { call, received, wasAborted } = await signalling(["SIGTERM", "SIGINT", "SIGHUP", "SIGINT"]);
  assert.deepEqual(received, ["SIGTERM", "SIGINT", "SIGHUP"]);
  assert.ok(wasAborted);
  assert.equal(call.code, 130);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "exit"]) assert.equal(call.events.listenerCount(name), 0, name);
});

test("run ends at the first signal while nothing runs yet", async () => {
  const entered = Promise.withResolvers<void>();
  const door: Partial<Door> = {
    run: async (_request, io) => {
      entered.resolve();
      await waitForAbort(io);
      return fakeResult({ outcome: "cancelled", exitCode: 130 });
    },
  };
  const call = await callCli(["run", "--", "x"], {
    door,
    during: ({ events }) => void entered.promise.then(() => events.emit("SIGINT")),
  });
  assert.equal(call.code, 130);
});

test("run ends at the second signal although the reader of its output has stopped", async () => {
  const writes = Promise.withResolvers<void>();
  const door: Partial<Door> = {
    run: async (_request, io) => {
      io.onStart({ signal: () => {}, resize: () => {} });
      const held = io.onOutput({ channel: "stdout", bytes: bytes("x") });
      writes.resolve();
      await held;
      assert.ok(io.signal.aborted);
      await io.onOutput({ channel: "stdout", bytes: bytes("dropped") });
      return fakeResult({ outcome: "cancelled", exitCode: 130 });
    },
  };
  const call = await callCli(["run", "--", "yes"], {
    door,
    isStdoutStalled: true,
    during: ({ events }) =>
      void writes.promise.then(() => {
        events.emit("SIGINT");
        events.emit("SIGINT");
      }),
  });
  assert.equal(call.code, 130);
  assert.ok(call.stdout.destroyed);
});

test("run gives the command a terminal when all three are terminals, unless told otherwise", async () => {
  const ask = async (flags: readonly string[], terminals: FakeCallOptions["terminals"]) =>
    requestOf(await callCli(["run", ...flags, "--", "x"], { ...(terminals === undefined ? {} : { terminals }), columns: 77 })).pty;
  assert.deepEqual(await ask([], allTerminals), { rows: 24, columns: 77 });
  assert.equal(await ask([], ["stdin", "stdout"]), undefined);
  assert.equal(await ask(["--no-pty"], allTerminals), undefined);
  assert.equal(await ask(["--json"], allTerminals), undefined);
  assert.deepEqual(await ask(["--pty"], []), { rows: 24, columns: 77 });
});

test("run lends the terminal only while the command runs, passes sizes on, and takes it back when the door fails", async () => {
  const sizes: number[] = [];
  for (const isFailing of [false, true]) {
    const seen: boolean[][] = [];
    let current: FakeCall["stdin"] | undefined;
    let output: FakeCall["stdout"] | undefined;
    const call = await callCli(["run", "--quiet", "--", "vi"], {
      terminals: allTerminals,
      during: ({ stdin, stdout }) => {
        current = stdin;
        output = stdout;
      },
      door: {
        run: async (_request, io) => {
          seen.push([...(current?.rawModes ?? [])]);
          io.onStart({ signal: () => {}, resize: ({ columns }) => void sizes.push(columns) });
          seen.push([...(current?.rawModes ?? [])]);
          output?.emit("resize");
          if (isFailing) throw new Error("boom");
          return fakeResult();
        },
      },
    });
    assert.deepEqual(seen, [[], [true]]);
    assert.deepEqual(call.stdin.rawModes, [true, false]);
    assert.equal(call.stdin.outputUnchangedInRaw, true, "line feeds come through as the terminal inside made them");
    assert.equal(call.stdout.listenerCount("resize"), 0);
    assert.equal(call.code, isFailing ? 125 : 0);
  }
  assert.deepEqual(sizes, [100, 100]);
});
