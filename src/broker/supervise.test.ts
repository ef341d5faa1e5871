// What ends a command: its own end, one limit, its caller. The first limit is the one that is told.
import assert from "node:assert/strict";
import { constants } from "node:os";
import { test } from "node:test";
import type { Execution, ExitReport, OutputChunk } from "../contracts/boundary.ts";
import type { LimitHit, Limits, UsageEvidence } from "../contracts/limits.ts";
import { elapsedMs, graceMs, supervise, type SupervisionReport } from "./supervise.ts";

const limits: Limits = {
  cpuMs: 1000,
  cpuCores: 1,
  memoryBytes: 2 ** 30,
  processes: 10,
  diskBytes: 2 ** 30,
  openFiles: 64,
  outputBytes: 10,
  returnedBytes: 10,
  wallMs: 60_000,
  denials: 1,
};
const usage: UsageEvidence = { cpuMs: 5, peakMemoryBytes: 6, peakProcesses: 7 };
const claim = { userMs: 0, systemMs: 0, maxRssBytes: 0 };

/** A command that ends when its tree is killed, or at once with `end`. */
class FakeExecution implements Execution {
  readonly refusedCalls = { total: 0, first: [] };
  readonly calls: string[] = [];
  readonly #exit = Promise.withResolvers<ExitReport>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #chunks: readonly string[];

  constructor(chunks: readonly string[], end?: ExitReport) {
    this.#chunks = chunks;
    if (end !== undefined) this.#exit.resolve(end);
  }

  get exit(): Promise<ExitReport> {
    return this.#exit.promise;
  }

  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  get output(): AsyncIterable<OutputChunk> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<OutputChunk> {
    for (const text of this.#chunks) yield { channel: "stdout", bytes: Buffer.from(text) };
    await this.#exit.promise;
  }

  writeStdin = (): Promise<void> => Promise.resolve();
  endStdin = (): void => {};
  resize = (): void => {};
  signal = (name: string): void => void this.calls.push(name);
  killTree = (): Promise<void> => {
    this.calls.push("kill");
    this.#exit.resolve({ kind: "signalled", signal: constants.signals.SIGKILL, usage: claim });
    return Promise.resolve();
  };
}

const unpaused = { totalNs: 0n, isPaused: false };

function watch(execution: Execution, exhausted: Promise<LimitHit>, look = async () => usage): Promise<SupervisionReport> {
  return supervise({
    execution,
    limits,
    exhausted,
    look,
    io: { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} },
    monotonicNs: () => 0n,
    pauses: unpaused,
    observe: () => {},
  });
}

const never = new Promise<LimitHit>(() => {});
const memory: LimitHit = { limit: "memory", allowed: 1, observed: 2 };
const exited: ExitReport = { kind: "exited", code: 0, usage: claim };

test("supervise() ends the tree at once for a limit that the boundary saw used up", async () => {
  const execution = new FakeExecution([]);
  const report = await watch(execution, Promise.resolve(memory));
  assert.deepEqual(report.limitHits, [memory]);
  assert.deepEqual([execution.calls[0], execution.calls.includes("SIGTERM")], ["kill", false]);
});

test("supervise() tells the first limit alone", async () => {
  const report = await watch(
    new FakeExecution(["12345678901"]),
    never.then(() => memory),
  );
  assert.deepEqual(report.limitHits, [{ limit: "output", allowed: 10, observed: 11 }]);
  const both = Promise.withResolvers<LimitHit>();
  const execution = new FakeExecution(["12345678901"]);
  const ending = watch(execution, both.promise, async () => {
    both.resolve(memory);
    return usage;
  });
  assert.deepEqual((await ending).limitHits, [{ limit: "output", allowed: 10, observed: 11 }]);
});

test("supervise() hears of a limit that is found used up when the command has ended, and of what it used", async () => {
  const found = Promise.withResolvers<LimitHit>();
  const report = await watch(new FakeExecution([], exited), found.promise, async () => {
    found.resolve(memory);
    return usage;
  });
  assert.deepEqual([report.limitHits, report.usage, report.exit], [[memory], usage, exited]);
});

test("supervise() looks once more when the time is over: a limit that is found used up is the one that ended the command", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const over = async (isFound: boolean): Promise<SupervisionReport["limitHits"]> => {
    const found = Promise.withResolvers<LimitHit>();
    const ending = watch(new FakeExecution([]), found.promise, async () => {
      if (isFound) found.resolve(memory);
      return usage;
    });
    t.mock.timers.tick(limits.wallMs);
    await new Promise(setImmediate);
    t.mock.timers.tick(graceMs);
    return (await ending).limitHits;
  };
  assert.deepEqual(await over(true), [memory]);
  assert.deepEqual(await over(false), [{ limit: "wall", allowed: limits.wallMs, observed: 0 }]);
});

test("supervise() reads a limit from the signal by which the kernel ends its process", async () => {
  for (const [name, limit] of [
    ["SIGXCPU", "cpuTime"],
    ["SIGXFSZ", "disk"],
  ] as const) {
    const end: ExitReport = { kind: "signalled", signal: constants.signals[name], usage: claim };
    const report = await watch(new FakeExecution([], end), never);
    assert.deepEqual(
      report.limitHits.map((hit) => hit.limit),
      [limit],
    );
  }
  assert.deepEqual((await watch(new FakeExecution([], exited), never)).limitHits, []);
});

test("elapsedMs() counts a millisecond that has begun, so that a wall time that was reached is not told as less", () => {
  assert.equal(elapsedMs(5n, 5n), 0);
  assert.equal(elapsedMs(0n, 999_200_000n), 1000);
  assert.equal(elapsedMs(0n, 1_000_000_000n), 1000);
});

/** A command that has ended while something that it started goes on. */
class Leaving extends FakeExecution {
  override get output(): AsyncIterable<OutputChunk> {
    return this.#talk();
  }

  async *#talk(): AsyncGenerator<OutputChunk> {
    yield { channel: "stdout", bytes: Buffer.from("early") };
    yield { channel: "stdout", bytes: Buffer.from(await this.more.promise) };
  }

  readonly more = Promise.withResolvers<string>();
}

/** Supervised in a sandbox that outlives it. */
function watchLeaving(execution: Execution, onLaterOutput: (chunk: OutputChunk) => void, shown: string[] = []): Promise<SupervisionReport> {
  return supervise({
    execution,
    limits,
    exhausted: never,
    onLaterOutput,
    look: async () => usage,
    io: {
      signal: new AbortController().signal,
      onOutput: async ({ bytes }) => void shown.push(Buffer.from(bytes).toString()),
      onStart: () => {},
    },
    monotonicNs: () => 0n,
    pauses: unpaused,
    observe: () => {},
  });
}

test("supervise() does not wait for what a command leaves running in its sandbox, and hands on what comes later", async () => {
  const execution = new Leaving([], exited);
  const later = Promise.withResolvers<OutputChunk>();
  const shown: string[] = [];
  const report = await watchLeaving(execution, later.resolve, shown);
  assert.deepEqual([report.isLeftRunning, shown, report.exit, execution.calls], [true, ["early"], exited, []]);
  execution.more.resolve("late");
  assert.equal(Buffer.from((await later.promise).bytes).toString(), "late");
});

test("supervise() counts on what a command left running says, and ends its tree over the output limit", async () => {
  const execution = new Leaving([], exited);
  const later = Promise.withResolvers<OutputChunk>();
  await watchLeaving(execution, later.resolve);
  execution.more.resolve("too much");
  assert.equal(Buffer.from((await later.promise).bytes).toString(), "too m");
  assert.deepEqual(execution.calls, ["kill"]);
});

test("supervise() ends the tree of a command whose sandbox outlives it when the command reached a limit", async () => {
  const execution = new FakeExecution([]);
  const report = await supervise({
    execution,
    limits,
    exhausted: Promise.resolve(memory),
    onLaterOutput: () => {},
    look: async () => usage,
    io: { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} },
    monotonicNs: () => 0n,
    pauses: unpaused,
    observe: () => {},
  });
  assert.deepEqual([report.isLeftRunning, report.limitHits, execution.calls.includes("kill")], [false, [memory], true]);
});

test("supervise() does not count the time that a sandbox was paused as wall time of its command", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { promise: exit, resolve: end } = Promise.withResolvers<ExitReport>();
  const execution = new FakeExecution([]);
  Object.defineProperty(execution, "exit", { value: exit });
  const signals: string[] = [];
  execution.signal = (name) => {
    signals.push(name);
    end({ kind: "signalled", signal: constants.signals.SIGTERM, usage: claim });
  };
  const { wallMs } = limits;
  const time = { ms: 0, pausedMs: 0 };
  const watched = supervise({
    execution,
    limits,
    exhausted: never,
    look: async () => usage,
    io: { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} },
    monotonicNs: () => BigInt(time.ms) * 1_000_000n,
    pauses: {
      isPaused: false,
      get totalNs() {
        return BigInt(time.pausedMs) * 1_000_000n;
      },
    },
    observe: () => {},
  });
  time.pausedMs = wallMs / 2;
  time.ms = wallMs;
  t.mock.timers.tick(wallMs);
  await new Promise(setImmediate);
  assert.deepEqual(signals, []);
  time.ms = wallMs * 1.5;
  t.mock.timers.tick(wallMs / 2);
  const { limitHits } = await watched;
  assert.deepEqual([signals, limitHits], [["SIGTERM"], [{ limit: "wall", allowed: wallMs, observed: wallMs }]]);
});
