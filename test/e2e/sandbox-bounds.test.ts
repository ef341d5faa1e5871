// How many sandboxes and commands there may be, and when they end by themselves: over the memory boundary, which starts nothing. INVARIANT I-10
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type MemoryOptions, openMemoryBoundary } from "../../src/boundaries/memory/memory.ts";
import { commandsAtOnce } from "../../src/broker/live-sandbox.ts";
import { sandboxQuotas } from "../../src/broker/sandboxes.ts";
import { composeDoor } from "../../src/compose.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import type { LimitHit } from "../../src/contracts/limits.ts";
import type { ReachedBroker } from "../../src/contracts/reached-broker.ts";
import type { OpenedSandbox, SandboxAccess, SandboxOpening } from "../../src/contracts/sandbox-door.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { quietIo } from "../fixtures/served-broker.ts";

const installation = path.join(import.meta.dirname, "..", "..");
let base = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-bounds-")));
  await mkdir(path.join(base, "project"));
});

after(() => removeScratch(base));

interface House {
  readonly broker: ReachedBroker;
  /** Why they were closed, as the ledger has it. */
  reasons(sandbox: string): Promise<readonly unknown[]>;
  open(lifetimes?: Pick<SandboxOpening, "idleMs" | "hardMs">, overrides?: object): Promise<OpenedSandbox>;
  close(): Promise<void>;
}

function house(options: MemoryOptions = {}): House {
  const door = composeDoor({ environment: { XDG_STATE_HOME: base }, installation, boundary: openMemoryBoundary(options) });
  const broker = door.holdBroker();
  const policy = { projectDirectory: path.join(base, "project") };
  return {
    broker,
    reasons: async (sandbox) => {
      const records = await door.records({ limit: 200 });
      return records.flatMap(({ type, body }) => (type === "execution.closed" && body["sandbox"] === sandbox ? [body["reason"]] : []));
    },
    open: (lifetimes = {}, overrides = {}) => {
      const opening = { policy: { ...policy, overrides: { ...overrides } }, callerEnvironment: {}, ...lifetimes };
      return broker.sandboxes.open(opening, { signal: new AbortController().signal });
    },
    close: async () => {
      await broker.stop();
      await door.close();
    },
  };
}

const command = (...argv: readonly [string, ...string[]]) => ({ argv, callerEnvironment: {}, environment: {} });
const isLimit = (error: unknown): boolean => error instanceof GloveboxError && error.code === "SANDBOX_LIMIT";

async function untilClosed({ broker }: House, access: SandboxAccess): Promise<unknown> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      await broker.sandboxes.logs(access, undefined);
    } catch (error) {
      return error instanceof GloveboxError ? error.situation : error;
    }
    assert.ok(Date.now() < deadline, "the sandbox stays open");
    await delay(5);
  }
}

test("a flood of opens is refused beyond a few at a time, with the time to wait", async () => {
  const one = house();
  const asked = await Promise.allSettled(Array.from({ length: sandboxQuotas.opening + 3 }, () => one.open()));
  const refused = asked.flatMap((each): readonly unknown[] => (each.status === "rejected" ? [each.reason] : []));
  assert.deepEqual([refused.length, refused.every(isLimit)], [3, true]);
  assert.ok(refused.every((error) => error instanceof GloveboxError && error.values["seconds"] === 1));
  await one.close();
});

test("one sandbox runs only so many commands at once, and another is not held up by that", async () => {
  const one = house();
  const [full, other] = [await one.open(), await one.open()];
  const ending = new AbortController();
  const io = quietIo({ signal: ending.signal });
  const running = Array.from({ length: commandsAtOnce }, () => one.broker.sandboxes.exec(full, command("sleep"), io));
  await assert.rejects(one.broker.sandboxes.exec(full, command("true"), io), { code: "SANDBOX_LIMIT" });
  assert.equal((await one.broker.sandboxes.exec(other, command("true"), quietIo())).exitCode, 0);
  ending.abort();
  for (const { outcome } of await Promise.all(running)) assert.equal(outcome, "cancelled");
  assert.equal((await one.broker.sandboxes.exec(full, command("exit", "4"), quietIo())).exitCode, 4);
  await one.close();
});

test("a sandbox that nobody uses is closed, and none outlives its time, whatever runs in it", async () => {
  const one = house();
  const idle = await one.open({ idleMs: 1 });
  assert.equal(await untilClosed(one, idle), "sandbox.ended-idle");
  const used = await one.open({ hardMs: 100 });
  // Its time may be over before the command begins.
  const begun = one.broker.sandboxes.exec(used, { ...command("sleep"), isDetached: true }, quietIo());
  await begun.catch((error: unknown) => assert.ok(error instanceof GloveboxError && error.code === "SANDBOX_CLOSED"));
  assert.equal(await untilClosed(one, used), "sandbox.ended-expired");
  const left = await one.open();
  await one.close();
  const ended = await Promise.all([idle, used, left].map(({ sandbox }) => one.reasons(sandbox)));
  assert.deepEqual(ended, [["idle"], ["expired"], ["broker"]]);
});

test("a sandbox that used up a limit is closed for it: its command is told, and nothing more runs", async () => {
  for (const isUsed of [true, false]) {
    const { promise: exhausted, resolve } = Promise.withResolvers<LimitHit>();
    const one = house({ exhausted });
    const access = await one.open();
    const started = Promise.withResolvers<void>();
    const running = isUsed
      ? one.broker.sandboxes.exec(access, command("sleep"), { ...quietIo(), onStart: () => started.resolve() })
      : started.resolve();
    await started.promise;
    resolve({ limit: "denials", allowed: 1, observed: 2 });
    const ended = await running;
    if (isUsed) assert.deepEqual([ended?.outcome, ended?.limitHits.map(({ limit }) => limit)], ["limit", ["denials"]]);
    assert.equal(await untilClosed(one, access), "sandbox.ended-limit");
    assert.deepEqual(await one.reasons(access.sandbox), ["denials"]);
    await assert.rejects(one.broker.sandboxes.exec(access, command("true"), quietIo()), { code: "SANDBOX_CLOSED" });
    await one.close();
  }
});

const dayMs = 86_400_000;
const container = (expires?: string) => ({ boundary: "container", ...(expires === undefined ? {} : { container: { expires } }) });

test("a container can be used by its id for 30 days, or as long as its policy says, and no flag makes that longer", async () => {
  const one = house();
  const before = Date.now();
  const life = async (lifetimes: Parameters<House["open"]>[0], overrides: object): Promise<readonly number[]> => {
    const { idleMs, expiresAtMs } = await one.open(lifetimes, overrides);
    return [idleMs, Math.round((expiresAtMs - before) / dayMs)];
  };
  assert.deepEqual(await life({}, container()), [30 * dayMs, 30]);
  assert.deepEqual(await life({}, container("90d")), [90 * dayMs, 90]);
  assert.deepEqual(await life({ idleMs: 9 * dayMs, hardMs: 9 * dayMs }, container("7d")), [7 * dayMs, 7]);
  assert.deepEqual(await life({ hardMs: 9 * dayMs }, {}), [8 * 3_600_000, 1]);
  const shown = (await one.broker.sandboxes.list()).map(({ openedAtMs, expiresAtMs }) => (expiresAtMs - openedAtMs) / dayMs);
  assert.deepEqual(shown, [30, 90, 7, 1]);
  await one.close();
});

test("a container whose time is over is closed and says so, with nobody using it", async () => {
  const one = house();
  const access = await one.open({}, container("1s"));
  assert.equal(await untilClosed(one, access), "sandbox.container-expired");
  await assert.rejects(one.broker.sandboxes.exec(access, command("true"), quietIo()), { code: "CONTAINER_EXPIRED" });
  await one.close();
  assert.deepEqual(await one.reasons(access.sandbox), ["expired"]);
});

test("a container whose time passed while nothing could close it, as in a machine that slept, is refused at its next use and closed", async (t) => {
  const one = house();
  const access = await one.open({}, container());
  await one.broker.sandboxes.logs(access, undefined);
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 31 * dayMs });
  await assert.rejects(one.broker.sandboxes.exec(access, command("true"), quietIo()), { code: "CONTAINER_EXPIRED" });
  await one.close();
  assert.deepEqual(await one.reasons(access.sandbox), ["expired"]);
});

test("prune closes what its time or idle time ends before any timer finds out, and nothing that is used or has time left", async (t) => {
  const one = house();
  const hourMs = 3_600_000;
  const lifetimes = { expired: { hardMs: hourMs }, idle: { idleMs: hourMs }, busy: { idleMs: hourMs }, young: {} };
  const opened = new Map<string, OpenedSandbox>();
  for (const [name, times] of Object.entries(lifetimes)) opened.set(name, await one.open(times));
  const of = (name: string): OpenedSandbox => opened.get(name) ?? assert.fail(name);
  const ended = new AbortController();
  const started = Promise.withResolvers<void>();
  const io = { ...quietIo(), signal: ended.signal, onStart: () => started.resolve() };
  const running = one.broker.sandboxes.exec(of("busy"), command("sleep", "1000"), io);
  await started.promise;
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 2 * hourMs });
  const overdue = (["expired", "idle"] as const).map((reason) => ({ sandbox: of(reason).sandbox, task: of(reason).task, reason }));
  assert.deepEqual(await one.broker.sandboxes.prune({ isDry: true }), overdue);
  assert.equal((await one.broker.sandboxes.list()).length, 4);
  assert.deepEqual(await one.broker.sandboxes.prune({ isDry: false }), overdue);
  assert.deepEqual(
    (await one.broker.sandboxes.list()).map(({ sandbox }) => sandbox),
    [of("busy").sandbox, of("young").sandbox],
  );
  assert.deepEqual(await one.broker.sandboxes.prune({ isDry: false }), []);
  assert.deepEqual(await one.reasons(of("idle").sandbox), ["idle"]);
  ended.abort();
  await running;
  await one.close();
});
