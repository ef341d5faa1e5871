// One connection of the door over a pair of streams: greeting, a whole command, a client that vanishes, a reader that never reads, and bad bytes.
import assert from "node:assert/strict";
import { once } from "node:events";
import { duplexPair, type Duplex } from "node:stream";
import { test } from "node:test";
import type { RunIo } from "../contracts/door.ts";
import { sandboxIdSchema, taskIdSchema } from "../contracts/ids.ts";
import type { OpenedSandbox, SandboxDoor } from "../contracts/sandbox-door.ts";
import { type Frame, FrameDecoder } from "../kit/frame-codec.ts";
import { DoorConnection } from "./door-connection.ts";
import { creditFrame, dataFrame, emptyFrame, execFrames, helloFrame, partFrames } from "./door-frames.ts";
import type { DoorHost } from "./door-host.ts";
import { version } from "../contracts/version.ts";
import { frameTypes, longestFrom, sizes } from "./protocol.ts";
import { violation } from "./violation.ts";

const keys = { open: "aa".repeat(32), admin: "bb".repeat(32), approve: "cc".repeat(32) };
const access = { sandbox: "s-0193f0c2a1b2-4d5e6f708192", token: "0f".repeat(32) };
const result = {
  task: "t",
  action: "a",
  exitCode: 0,
  outcome: "ok",
  child: undefined,
  limitHits: [],
  notes: [],
  stdoutBytes: 0,
  stderrBytes: 0,
  durationMs: 0,
  ledger: { firstSeq: 0, lastSeq: 0 },
  isLeftRunning: false,
} as const;
const none = (): never => {
  throw new Error("not asked for");
};

const nowhere = async () => ({ terminals: [], isInForeground: false });

function hostWith(replaced: Partial<SandboxDoor>): DoorHost {
  const nothing = {
    open: none,
    exec: none,
    attach: none,
    logs: none,
    connect: none,
    endCommand: none,
    checkpoint: none,
    untilEnded: none,
    end: none,
    kill: none,
    stats: none,
    pause: none,
    resume: none,
    rescue: none,
    prune: none,
  };
  const sandboxes = { ...nothing, list: async () => [], ...replaced };
  const approvals = { isUsed: false, ask: none, list: async () => ({ revision: 1, questions: [] }), show: none, answer: none };
  return {
    sandboxes,
    approvals,
    keys,
    isEqual: (given, expected) => given === expected,
    reload: none,
    goneError: (sandbox) => new Error(sandbox),
    stop: () => {},
  };
}

class Client {
  readonly side: Duplex;
  readonly connection: DoorConnection;
  readonly frames: Frame[] = [];
  readonly #decoder = new FrameDecoder(longestFrom("broker"), violation);

  constructor(host: DoorHost, greeting: Buffer = helloFrame(version)) {
    const [ours, theirs] = duplexPair();
    this.side = ours;
    this.connection = new DoorConnection(theirs, host, nowhere);
    ours.on("data", (chunk: Buffer) =>
      this.frames.push(...[...this.#decoder.push(chunk)].map((frame) => ({ ...frame, payload: Buffer.from(frame.payload) }))),
    );
    ours.write(greeting);
  }

  /** @param stream of any when absent */
  async until(type: number, stream?: number): Promise<Frame> {
    for (;;) {
      const found = this.frames.find((frame) => frame.type === type && (stream ?? frame.stream) === frame.stream);
      if (found !== undefined) return found;
      await once(this.side, "data");
    }
  }

  ask(stream: number, document: unknown): void {
    this.side.write(Buffer.concat([...partFrames(stream, Buffer.from(JSON.stringify(document))), emptyFrame(frameTypes.ask, stream)]));
  }

  exec(stream: number): void {
    const command = { argv: ["true"], callerEnvironment: {}, environment: {}, hasInput: true } as const;
    this.side.write(Buffer.concat(execFrames(stream, access, { ...command, argv: ["true"] })));
  }

  bytesOf(type: number): number {
    return this.frames.filter((frame) => frame.type === type).reduce((sum, { payload }) => sum + payload.length, 0);
  }
}

test("DoorConnection serves a command: started, output, result", async () => {
  const client = new Client(
    hostWith({
      exec: async (_access, _command, io) => {
        io.onStart({ signal: () => {}, resize: () => {} });
        await io.onOutput({ channel: "stdout", bytes: Buffer.from("hello") });
        return result;
      },
    }),
  );
  client.exec(1);
  await client.until(frameTypes.result);
  assert.deepEqual(
    client.frames.map(({ type }) => type),
    [frameTypes.hello, frameTypes.started, frameTypes.stdout, frameTypes.part, frameTypes.result],
  );
  client.connection.close();
});

test("DoorConnection lets nobody reload the rules of a sandbox by its token or the key that opens sandboxes", async () => {
  const reloaded: string[] = [];
  const host: DoorHost = {
    ...hostWith({}),
    reload: async (sandbox) => {
      reloaded.push(sandbox);
      return { sandbox, policyHash: "", endedConnections: 0, isPartial: false };
    },
  };
  const client = new Client(host);
  for (const [index, key] of [access.token, keys.open, keys.approve].entries()) {
    client.ask(index + 1, { ask: "reload", key, sandbox: access.sandbox });
    await client.until(frameTypes.refused);
    client.frames.splice(0);
  }
  assert.deepEqual(reloaded, []);
  client.ask(4, { ask: "reload", key: keys.admin, sandbox: access.sandbox });
  await client.until(frameTypes.end);
  assert.deepEqual(reloaded, [access.sandbox]);
  client.connection.close();
});

test("DoorConnection holds a command whose reader gives no credit at one window, and lets it go when the client vanishes", async () => {
  const cancelled = Promise.withResolvers<void>();
  const client = new Client(
    hostWith({
      exec: async (_access, _command, io: RunIo) => {
        io.signal.addEventListener("abort", () => cancelled.resolve(), { once: true });
        await io.onOutput({ channel: "stdout", bytes: Buffer.alloc(sizes.credit * 2) });
        return result;
      },
    }),
  );
  client.exec(1);
  while (client.bytesOf(frameTypes.stdout) < sizes.credit) await once(client.side, "data");
  client.side.write(creditFrame(1, "stdout", 10));
  while (client.bytesOf(frameTypes.stdout) < sizes.credit + 10) await once(client.side, "data");
  assert.equal(client.bytesOf(frameTypes.stdout), sizes.credit + 10);
  client.side.destroy();
  await cancelled.promise;
  await client.connection.closed;
});

test("DoorConnection closes the sandboxes that were to end with their caller when it vanishes, and no other", async () => {
  const ended: string[] = [];
  const lastEnded = Promise.withResolvers<void>();
  const opened = (sandbox: string): OpenedSandbox => ({
    sandbox: sandboxIdSchema.parse(sandbox),
    task: taskIdSchema.parse("t-0193f0c2a1b2-4d5e6f708192"),
    token: access.token,
    policyHash: "",
    idleMs: 0,
    expiresAtMs: 0,
    presetNotes: [],
  });
  const client = new Client(
    hostWith({
      open: async ({ hardMs }) => opened(`s-0193f0c2a1b2-4d5e6f70819${hardMs ?? 0}`),
      end: async ({ sandbox }) => {
        ended.push(sandbox);
        if (sandbox.endsWith("3")) lastEnded.resolve();
        throw new Error("closed before");
      },
    }),
  );
  const opening = { policy: { projectDirectory: "/" }, callerEnvironment: {} };
  client.ask(1, { ask: "open", key: keys.open, opening: { ...opening, hardMs: 1, endsWithCaller: true } });
  client.ask(2, { ask: "open", key: keys.open, opening: { ...opening, hardMs: 2 } });
  client.ask(3, { ask: "open", key: keys.open, opening: { ...opening, hardMs: 3, endsWithCaller: true } });
  while (client.frames.filter(({ type }) => type === frameTypes.end).length < 3) await once(client.side, "data");
  assert.deepEqual(ended, []);
  client.side.destroy();
  await lastEnded.promise;
  assert.deepEqual(ended, ["s-0193f0c2a1b2-4d5e6f708191", "s-0193f0c2a1b2-4d5e6f708193"]);
});

test("DoorConnection refuses another version, a wrong key, and whatever cannot come", async () => {
  const other = new Client(hostWith({}), helloFrame("9.9.9"));
  assert.match((await other.until(frameTypes.refused)).payload.toString("latin1"), /BROKER_VERSION/u);
  await other.connection.closed;
  const stranger = new Client(hostWith({}));
  stranger.ask(1, { ask: "list", key: keys.open });
  assert.match((await stranger.until(frameTypes.refused)).payload.toString("latin1"), /ACCESS_REFUSED/u);
  stranger.ask(2, { ask: "list", key: keys.admin });
  await stranger.until(frameTypes.end);
  // Whoever opens, ends or uses sandboxes does not answer. INVARIANT I-12
  for (const [index, key] of [keys.open, keys.admin, access.token].entries()) {
    stranger.ask(3 + index, { ask: "answer", key, approval: "q-000000000001-000000000001", answer: "granted" });
    assert.match((await stranger.until(frameTypes.refused, 3 + index)).payload.toString("latin1"), /ACCESS_REFUSED/u);
  }
  stranger.ask(6, { ask: "questions", key: keys.approve });
  await stranger.until(frameTypes.answer, 6);
  stranger.side.write(emptyFrame(frameTypes.stdinEnd, 7));
  await stranger.connection.closed;
  const early = new Client(hostWith({}), emptyFrame(frameTypes.ask, 1));
  assert.match((await early.until(frameTypes.refused)).payload.toString("latin1"), /BROKER_PROTOCOL/u);
});

test("DoorConnection hears nothing more after a violation, and destroys the connection of who does not read", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isListed = false;
  const list = async () => {
    isListed = true;
    return [];
  };
  const [ours, theirs] = duplexPair();
  const connection = new DoorConnection(theirs, hostWith({ list }), nowhere);
  const question = partFrames(1, Buffer.from(JSON.stringify({ ask: "list", key: keys.admin })));
  ours.write(Buffer.concat([helloFrame(version), emptyFrame(frameTypes.ask, 0)]));
  await connection.closed;
  ours.write(Buffer.concat([...question, emptyFrame(frameTypes.ask, 1)]));
  await new Promise(setImmediate);
  assert.equal(isListed, false);
  assert.equal(theirs.destroyed, false);
  t.mock.timers.runAll();
  assert.equal(theirs.destroyed, true);
});

test("DoorConnection ends what was asked when the client vanishes at any byte of a conversation", async () => {
  const command = {
    argv: ["cat"] as [string, ...string[]],
    callerEnvironment: { A: "b" },
    environment: {},
    hasInput: true,
  };
  const whole = Buffer.concat([
    ...execFrames(1, access, command),
    dataFrame(frameTypes.stdin, 1, Buffer.from("input")),
    emptyFrame(frameTypes.stdinEnd, 1),
    emptyFrame(frameTypes.cancel, 1),
  ]);
  let begun = 0;
  for (let bytes = 0; bytes <= whole.length; bytes += 1) {
    const ends: Promise<void>[] = [];
    const client = new Client(
      hostWith({
        exec: async (_access, _command, { signal }) => {
          begun += 1;
          const { promise, resolve } = Promise.withResolvers<void>();
          ends.push(promise);
          signal.addEventListener("abort", () => resolve(), { once: true });
          await promise;
          return result;
        },
      }),
    );
    client.side.write(whole.subarray(0, bytes));
    await client.until(frameTypes.hello);
    client.side.destroy();
    await client.connection.closed;
    await Promise.all(ends);
  }
  assert.ok(begun > 20);
});
