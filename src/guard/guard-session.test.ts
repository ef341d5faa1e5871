// GuardSession against a fake guard: the handshake, the life of a command, credit, and every way in which a guard can misbehave.
import assert from "node:assert/strict";
import { constants } from "node:os";
import { test } from "node:test";
import * as fc from "fast-check";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { FakeGuard, guardConversation, guardData, guardExited, guardFrame, guardHello, guardReady, guardStarted } from "./fake-guard.ts";
import { type CommandOptions, type GuardSession, openGuardSession, type ReadRule } from "./guard.ts";
import { frameTypes, layers, sizes, stages } from "./protocol.ts";

const command = { argv: ["true"], cwd: "/", environment: { A: "b" } } as const;

async function ready(): Promise<{ readonly guard: FakeGuard; readonly session: GuardSession }> {
  const guard = new FakeGuard();
  const session = openGuardSession(guard.host);
  guard.send(guardHello);
  const configured = session.configure([{ path: "/usr", rights: 13n }]);
  await guard.until(frameTypes.seal);
  guard.send(guardReady);
  await configured;
  return { guard, session };
}

async function running(
  options: CommandOptions = {},
): Promise<Awaited<ReturnType<typeof ready>> & { readonly execution: Awaited<ReturnType<GuardSession["exec"]>> }> {
  const { guard, session } = await ready();
  const starting = session.exec({ ...command, argv: ["true"] }, options);
  guard.send(guardStarted(1));
  return { guard, session, execution: await starting };
}

test("configure() sends HELLO, the rules and SEAL at once, and nothing else before READY", async () => {
  const guard = new FakeGuard();
  const session = openGuardSession(guard.host);
  const configured = session.configure([{ path: "/usr", rights: 13n, optional: true, domain: "command" }]);
  await guard.until(frameTypes.seal);
  await assert.rejects(session.exec({ ...command, argv: ["true"] }), { situation: "guard.closed" });
  guard.send(guardHello);
  await assert.rejects(session.exec({ ...command, argv: ["true"] }), { situation: "guard.closed" });
  assert.deepEqual(
    guard.sent.map(({ type }) => type),
    [frameTypes.hello, frameTypes.landlockRule, frameTypes.seal],
  );
  assert.equal(guard.sent[1]?.payload.toString("latin1"), "\r\0\0\0\0\0\0\0\u0001\u0001\0\0/usr");
  guard.send(guardReady);
  const report = await configured;
  assert.equal(report.landlockAbi, 7);
  assert.equal(report.isTestBuild, false);
});

test("configure() rejects for each missing layer, an old Landlock, a test build, another version and silence", async () => {
  const cases: Readonly<Record<string, readonly Buffer[]>> = {
    "guard.wall-missing": [guardHello, guardFrame(frameTypes.ready, 0, 7, layers.all & ~layers.seccomp, 0, 0, 0, 0)],
    "guard.landlock-old": [guardHello, guardFrame(frameTypes.ready, 0, 5, layers.all, 0, 0, 0, 0)],
    "guard.test-build": [guardFrame(frameTypes.hello, 0, sizes.version, 1, 1), guardReady],
    "guard.version": [guardFrame(frameTypes.hello, 0, sizes.version + 1, 0, 1), guardReady],
    "guard.rule-unusable": [guardHello, guardFrame(frameTypes.failed, 0, 5, 2, 0)],
    "guard.root-folds": [guardHello, guardFrame(frameTypes.failed, 0, 8, constants.errno.EOPNOTSUPP, sizes.rootFailed + 1)],
    "guard.root-unreachable": [guardHello, guardFrame(frameTypes.failed, 0, 8, constants.errno.ENOENT, sizes.rootFailed + 1)],
    "guard.silent": [],
  };
  for (const [situation, frames] of Object.entries(cases)) {
    const guard = new FakeGuard();
    const session = openGuardSession(guard.host, { readyTimeoutMs: 20 });
    const configured = session.configure([{ path: "/usr", rights: 13n }], { writeRoots: ["/a", "/b"], listedNames: [], listedPaths: [] });
    guard.send(...frames);
    await assert.rejects(configured, (error) => {
      if (situation.startsWith("guard.root")) assert.equal(error instanceof GloveboxError && error.values["path"], "/b");
      return error instanceof GloveboxError && error.code === "WALL_UNAVAILABLE" && error.situation === situation;
    });
    assert.equal((await session.ended).situation, situation);
    await assert.rejects(session.exec({ ...command, argv: ["true"] }), { situation });
  }
});

test("configure() rejects a guard of another epoch, whatever it answers", async () => {
  const guard = new FakeGuard();
  const session = openGuardSession(guard.host);
  const configured = session.configure([]);
  guard.send(guardFrame(frameTypes.hello, 0, sizes.version, 0, 2), guardReady);
  await assert.rejects(configured, { code: "GUARD_PROTOCOL" });
  await assert.rejects(session.exec({ ...command, argv: ["true"] }), { code: "GUARD_PROTOCOL" });
});

test("configure() refuses a path that no rule can hold, and sends nothing", async () => {
  for (const path of [`/${"p".repeat(4095)}`, "/a\0b"]) {
    const guard = new FakeGuard();
    const session = openGuardSession(guard.host);
    guard.send(guardHello);
    await assert.rejects(session.configure([{ path, rights: 4n }]), { code: "WALL_UNAVAILABLE", situation: "guard.rule-unusable" });
    assert.equal(guard.sent.length, 0);
  }
});

test("exec() gives output, exit and usage in the guard's order, and forgets the command", async () => {
  const { guard, session } = await ready();
  const starting = session.exec({ ...command, argv: ["echo", "hi"] });
  const args = await guard.until(frameTypes.args);
  assert.equal(args.payload.toString(), "/\0echo\0hi\0A=b\0");
  guard.send(...guardConversation(1, "hi\n"));
  const execution = await starting;
  const seen: string[] = [];
  for await (const { channel, bytes } of execution.output) seen.push(`${channel} ${Buffer.from(bytes).toString()}`);
  assert.deepEqual(seen, ["stdout hi\n"]);
  assert.deepEqual(await execution.exit, { kind: "exited", code: 3, usage: { userMs: 2, systemMs: 3, maxRssBytes: 4096 } });
  assert.equal(session.openCommands, 0);
  await execution.killTree();
});

test("exec() of a command without input says its end with the start, once", async () => {
  const { guard, session } = await ready();
  const starting = session.exec({ ...command, argv: ["true"], hasInput: false });
  await guard.until(frameTypes.stdinEnd);
  guard.send(...guardConversation(1, ""));
  const execution = await starting;
  execution.endStdin();
  await assert.rejects(execution.writeStdin(Buffer.from("late")), { code: "SANDBOX_CLOSED" });
  await session.close();
  assert.deepEqual(
    guard.sent.map(({ type }) => type).filter((type) => type >= frameTypes.args),
    [frameTypes.args, frameTypes.exec, frameTypes.stdinEnd],
  );
});

test("exec() rejects when a wall is missing, and reports what could not be started", async () => {
  const { guard, session } = await ready();
  const refused = session.exec({ ...command, argv: ["true"] });
  guard.send(guardFrame(frameTypes.wallMissing, 1, 6, 1), guardFrame(frameTypes.outputEnd, 1), guardFrame(frameTypes.treeGone, 1));
  await assert.rejects(refused, { code: "WALL_UNAVAILABLE", values: { wall: "seccomp", errno: "EPERM" } });
  const absent = session.exec({ ...command, argv: ["true"] });
  guard.send(guardFrame(frameTypes.notStarted, 2, 4, 2));
  assert.deepEqual(await (await absent).exit, { kind: "not-started", code: 127, errno: "ENOENT" });
  const astray = session.exec({ ...command, argv: ["true"] });
  guard.send(guardFrame(frameTypes.notStarted, 3, stages.cwd, 2));
  assert.deepEqual(await (await astray).exit, { kind: "not-started", code: 126, errno: "ENOENT", stage: "directory" });
  const crowded = session.exec({ ...command, argv: ["true"] });
  guard.send(guardFrame(frameTypes.notStarted, 4, stages.fork, 11));
  assert.deepEqual(await (await crowded).exit, { kind: "not-started", code: 126, errno: "EAGAIN", stage: "processes" });
});

test("exec() refuses NUL characters and more arguments than the guard takes, and sends nothing", async () => {
  const { guard, session } = await ready();
  await assert.rejects(session.exec({ ...command, argv: ["a\0b"] }), { code: "USAGE_INVALID", situation: "guard.argument-nul" });
  await assert.rejects(session.exec({ ...command, argv: ["x".repeat(sizes.argumentsMax)] }), { situation: "guard.arguments-too-large" });
  assert.equal(session.openCommands, 0);
  assert.ok(guard.sent.every(({ type }) => type !== frameTypes.args));
});

test("credit goes back only for what the reader took", async () => {
  const { guard, session, execution } = await running();
  const part = guardData(frameTypes.stdout, 1, Buffer.alloc(sizes.dataMax));
  guard.send(part, part, part, part);
  const reader = execution.output[Symbol.asyncIterator]();
  assert.equal(guard.sent.filter(({ type }) => type === frameTypes.credit).length, 0);
  await reader.next();
  const credit = await guard.until(frameTypes.credit);
  assert.deepEqual([credit.payload.readUInt32LE(0), credit.payload.readUInt32LE(4)], [1, sizes.dataMax]);
  guard.send(part, part); // one more than was given back
  assert.equal((await session.ended).code, "GUARD_PROTOCOL");
  assert.equal((await execution.exit).kind, "lost");
});

test("a reader that leaves early lets the rest go", async () => {
  const { guard, session, execution } = await running();
  const part = guardData(frameTypes.stdout, 1, Buffer.alloc(sizes.dataMax));
  guard.send(part, part);
  for await (const { bytes } of execution.output) {
    assert.equal(bytes.length, sizes.dataMax);
    break;
  }
  guard.send(part, part, part, part, guardExited(1, 0, 0), guardFrame(frameTypes.outputEnd, 1), guardFrame(frameTypes.treeGone, 1));
  assert.equal((await execution.exit).kind, "exited");
  await execution.killTree();
  assert.equal(session.openCommands, 0);
  assert.throws(() => execution.output[Symbol.asyncIterator](), TypeError);
});

test("writeStdin() sends as far as credit goes, in order, and endStdin() comes last", async () => {
  const { guard, execution } = await running();
  const first = execution.writeStdin(Buffer.alloc(sizes.credit, 1));
  const second = execution.writeStdin(Buffer.from("two"));
  execution.endStdin();
  await first;
  const stdin = (): number =>
    guard.sent.filter(({ type }) => type === frameTypes.stdin).reduce((sum, { payload }) => sum + payload.length, 0);
  guard.send(guardFrame(frameTypes.credit, 1, 0, sizes.dataMax));
  await second;
  await guard.until(frameTypes.stdinEnd);
  assert.equal(stdin(), sizes.credit + 3);
  assert.equal(guard.sent.at(-1)?.type, frameTypes.stdinEnd);
  await assert.rejects(execution.writeStdin(Buffer.from("late")), { code: "SANDBOX_CLOSED" });
});

test("a guard that hangs up loses every command", async () => {
  const { guard, session, execution } = await running();
  const waiting = execution.writeStdin(Buffer.alloc(sizes.credit * 2));
  guard.hangUp();
  assert.deepEqual(await execution.exit, { kind: "lost", reason: "guard.lost" });
  await assert.rejects(waiting, { code: "SANDBOX_CLOSED" });
  await execution.killTree();
  assert.equal((await session.ended).code, "SANDBOX_CLOSED");
  const rest: unknown[] = [];
  for await (const chunk of execution.output) rest.push(chunk);
  assert.deepEqual(rest, []);
});

const misbehaviour: Readonly<Record<string, readonly Buffer[]>> = {
  "a frame for an unknown stream": [guardStarted(7)],
  "a second HELLO": [guardHello],
  "a second READY": [guardReady],
  "a late FAILED": [guardFrame(frameTypes.failed, 0, 5, 2, 0)],
  "a second start": [guardStarted(1)],
  "a tree that is gone before its command": [guardFrame(frameTypes.treeGone, 1)],
  "two exits": [guardExited(1, 0, 0), guardExited(1, 0, 0)],
  "output after its end": [guardFrame(frameTypes.outputEnd, 1), guardData(frameTypes.stderr, 1, Buffer.of(1))],
  "credit that was never used": [guardFrame(frameTypes.credit, 1, 0, 1)],
  garbage: [Buffer.alloc(40, 0xff)],
};

for (const [what, frames] of Object.entries(misbehaviour)) {
  test(`${what} ends the session with GUARD_PROTOCOL`, async () => {
    const { guard, session, execution } = await running();
    guard.send(...frames);
    const reason = await session.ended;
    assert.equal(reason.code, "GUARD_PROTOCOL");
    assert.ok((await execution.exit).kind !== "signalled");
    await assert.rejects(session.exec({ ...command, argv: ["true"] }), { code: "GUARD_PROTOCOL" });
    assert.ok(guard.host.destroyed);
  });
}

test("any bytes after the handshake end the session cleanly or leave it working", async () => {
  const frame = fc.record({
    type: fc.constantFrom(...Object.values(frameTypes)),
    stream: fc.nat(2),
    payload: fc.uint8Array({ maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
      const { guard, session, execution } = await running();
      guard.send(...frames.map(({ type, stream, payload }) => guardData(type, stream, payload)));
      guard.hangUp();
      const reason = await session.ended;
      assert.ok(reason instanceof GloveboxError && ["GUARD_PROTOCOL", "SANDBOX_CLOSED"].includes(reason.code));
      await execution.exit;
      await execution.killTree();
    }),
    { numRuns: 150 },
  );
});

test("close() sends SIGTERM to everything, waits until it is idle, and is idempotent", async () => {
  const { guard, session } = await running();
  const closing = session.close(10_000);
  const signal = await guard.until(frameTypes.signal);
  assert.deepEqual([signal.stream, signal.payload.readUInt32LE(0)], [0, 15]);
  guard.send(guardExited(1, 1, 15), guardFrame(frameTypes.outputEnd, 1), guardFrame(frameTypes.treeGone, 1));
  await closing;
  await session.close();
  assert.equal((await session.ended).situation, "guard.closed");
});

test("configure() sends write roots and listed names after the rules, and refuses what the guard would not take", async () => {
  const guard = new FakeGuard();
  const session = openGuardSession(guard.host);
  const configured = session.configure([{ path: "/usr", rights: 13n }], {
    writeRoots: ["/work/it"],
    listedNames: [".envrc", ".config/fish"],
    listedPaths: ["/work/it/x"],
    reading: {
      rules: [
        {
          effect: "denyGlob",
          segments: [
            { kind: "any", text: "" },
            { kind: "glob", text: "*.k" },
          ],
        },
      ],
      exempt: ["/work/own.k"],
    },
  });
  guard.send(guardHello, guardReady);
  await configured;
  const sent = guard.sent.map(({ type, payload }) => [type, payload.toString()] as const);
  assert.deepEqual(sent.slice(2, 6), [
    [frameTypes.writeRoot, "/work/it"],
    [frameTypes.listedName, ".envrc"],
    [frameTypes.listedName, ".config/fish"],
    [frameTypes.listedPath, "/work/it/x"],
  ]);
  assert.deepEqual(sent.slice(6, 9), [
    [frameTypes.strict, ""],
    [frameTypes.readRule, "\u0002\u0003\0\0\u0002\u0003\0*.k"],
    [frameTypes.readExempt, "/work/own.k"],
  ]);
  const oneRule = (...segments: ReadRule["segments"]) => ({
    writeRoots: [],
    listedNames: [],
    listedPaths: [],
    reading: { rules: [{ effect: "denyGlob" as const, segments }], exempt: [] },
  });
  const unusable = [
    oneRule(),
    oneRule({ kind: "literal", text: "" }),
    oneRule({ kind: "literal", text: "a/b" }),
    oneRule({ kind: "any", text: "x" }),
    oneRule(...Array.from({ length: 63 }, () => ({ kind: "literal" as const, text: "x" }))),
    oneRule(...Array.from({ length: 62 }, () => ({ kind: "literal" as const, text: "x".repeat(300) }))),
    { writeRoots: ["/"], listedNames: [], listedPaths: [] },
    { writeRoots: [], listedNames: [], listedPaths: ["x"] },
    { writeRoots: [], listedNames: [], listedPaths: Array.from({ length: 4097 }, (_, index) => `/${index}`) },
    { writeRoots: ["work"], listedNames: [], listedPaths: [] },
    { writeRoots: Array.from({ length: 33 }, (_, index) => `/${index}`), listedNames: [], listedPaths: [] },
    ...["", "/a", "a/", "a/b/c", "a\0", "n".repeat(64)].map((name) => ({ writeRoots: [], listedNames: [name], listedPaths: [] })),
  ];
  for (const mediation of unusable) {
    const other = openGuardSession(new FakeGuard().host);
    await assert.rejects(other.configure([], mediation), { code: "WALL_UNAVAILABLE", situation: "guard.rule-unusable" });
  }
});

const refusedFrame = (stream: number, path: string): Buffer =>
  guardData(frameTypes.refused, stream, Buffer.concat([Buffer.of(4, 0, 0, 0, 13, 0, 0, 0, 2, 0, 0, 0), Buffer.from(path)]));

test("refusedCalls has the first refusals by name and the count of all", async () => {
  const { guard, execution } = await running();
  guard.send(refusedFrame(1, "/work/it/.git/config"), guardExited(1, 0, 0), guardFrame(frameTypes.refusedTotal, 1, 7));
  guard.send(guardFrame(frameTypes.outputEnd, 1), guardFrame(frameTypes.treeGone, 1));
  await execution.killTree();
  assert.deepEqual(execution.refusedCalls, {
    total: 7,
    first: [{ call: "rename", errno: "EACCES", rule: "gitConfig", path: "/work/it/.git/config" }],
  });
});

test("onFileLimit hears once of what was asked for, as a number that can be counted; twice breaks the protocol", async () => {
  const heard: number[] = [];
  const { guard, session } = await running({ onFileLimit: (bytes) => heard.push(bytes) });
  guard.send(guardFrame(frameTypes.fileLimit, 1, 0xffff_ffff, 0x7fff_ffff), guardFrame(frameTypes.fileLimit, 1, 1, 0));
  assert.equal((await session.ended).code, "GUARD_PROTOCOL");
  assert.deepEqual(heard, [Number.MAX_SAFE_INTEGER]);
});

test("a guard that reports more refusals than it may, or counts them wrongly, breaks the protocol", async () => {
  const many = Array.from({ length: 101 }, () => refusedFrame(1, "/x"));
  const fewer = [refusedFrame(1, "/x"), guardFrame(frameTypes.refusedTotal, 1, 0)];
  const twice = [guardFrame(frameTypes.refusedTotal, 1, 1), guardFrame(frameTypes.refusedTotal, 1, 1)];
  for (const frames of [many, fewer, twice]) {
    const { guard, session } = await running();
    guard.send(...frames);
    assert.equal((await session.ended).code, "GUARD_PROTOCOL");
  }
});
