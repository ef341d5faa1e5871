// Clients of the door that do not behave: strangers, those who vanish, those who never read; and many commands that leave nothing. INVARIANT I-09, I-12
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdtemp, realpath, stat } from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { execFrames, helloFrame } from "../../src/door/door-frames.ts";
import { version } from "../../src/contracts/version.ts";
import { capture, spawnProcess } from "../../src/kit/spawn.ts";
import { runManyCommands } from "../fixtures/many-commands.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { serveBroker, type ServedBroker, shell } from "../fixtures/served-broker.ts";

const frontProgram = path.join(import.meta.dirname, "../../build/door");

/** Connects, and prints how many bytes of a greeting came before the end. */
const greeted = `import socket,sys
s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(sys.argv[1])
try: print(len(s.recv(100)))
except ConnectionResetError: print(0)`;

test("the door greets its own user, and nobody from another user or pid namespace", async (t) => {
  const { socketPath, state } = await serveBroker(t);
  assert.equal((await stat(socketPath)).mode & 0o777, 0o600);
  assert.equal((await stat(`${state}/run`)).mode & 0o077, 0);
  const python = ["/usr/bin/python3", "-c", greeted, socketPath];
  const asItself = await capture("/usr/bin/env", python);
  assert.ok(Number(asItself.stdout) > 0, asItself.stderr);
  for (const kinds of [
    ["--user", "--map-root-user"],
    ["--user", "--map-root-user", "--pid", "--fork"],
  ]) {
    const elsewhere = await capture("/usr/bin/unshare", [...kinds, ...python]);
    assert.equal(elsewhere.stdout, "0\n", elsewhere.stderr);
  }
});

/** The front alone, at a socket that everybody may reach. @returns what it said of each of these peers */
async function frontHears(t: TestContext, peers: readonly (readonly [string, ...string[]])[]): Promise<readonly unknown[]> {
  const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-front-")));
  await chmod(directory, 0o711);
  const socketPath = path.join(directory, "door.sock");
  const front = spawnProcess(frontProgram, [socketPath], { environment: {}, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const ended = once(front, "close");
  t.after(async () => {
    front.kill("SIGKILL");
    await ended;
    await removeScratch(directory);
  });
  const said: unknown[] = [];
  const next = async (): Promise<void> => {
    const message: unknown = await new Promise((resolve) => void front.once("message", resolve));
    said.push(typeof message === "object" && message !== null && "kind" in message ? message.kind : message);
  };
  await next();
  await chmod(socketPath, 0o666);
  for (const [program, ...words] of peers) {
    const heard = next();
    assert.equal((await capture(program, [...words, socketPath])).code, 0);
    await heard;
  }
  return said;
}

test("the door's front hands on its own user, and refuses another one although the file lets them in", async (t) => {
  const visitor = ["/usr/bin/python3", "-c", "import socket,sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"] as const;
  const isRoot = process.getuid?.() === 0;
  // An ordinary user is nobody else: their stranger is the root of a user namespace of their own.
  const stranger = isRoot
    ? (["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", ...visitor] as const)
    : (["/usr/bin/unshare", "--user", "--map-root-user", ...visitor] as const);
  assert.deepEqual(await frontHears(t, [visitor, stranger, visitor]), ["listening", "connection", "refused", "connection"]);
});

/** A client that speaks frames by hand, starts a long command and is gone. */
async function vanish({ socketPath }: ServedBroker, access: { readonly sandbox: string; readonly token: string }): Promise<void> {
  const socket = connect(socketPath);
  await once(socket, "connect");
  const command = { callerEnvironment: {}, environment: {}, hasInput: true } as const;
  const { sandbox, token } = access;
  // It reads nothing: what it is told stays where it is.
  const argv = ["sh", "-c", "yes"] as [string, ...string[]];
  socket.write(Buffer.concat([helloFrame(version), ...execFrames(1, { sandbox, token }, { ...command, argv })]));
  await once(socket, "readable");
  socket.destroy();
}

async function untilNothingRuns({ broker }: ServedBroker): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const lines = await broker.sandboxes.list();
    if (lines.every(({ commands }) => commands.every(({ state }) => state === "ended"))) return;
    assert.ok(Date.now() < deadline, "a command outlived its client");
    await delay(20);
  }
}

test("a client that vanishes takes its command with it, and nobody else's", async (t) => {
  const served = await serveBroker(t);
  const access = await served.open();
  await vanish(served, access);
  assert.equal((await shell(served, access, "echo still here")).output, "still here\n");
  await untilNothingRuns(served);
  const records = await served.door.records({ task: access.task, limit: 20 });
  assert.ok(records.some(({ type, body }) => type === "result.returned" && body["outcome"] === "cancelled"));
});

test("a hundred commands leave nothing in the broker, and nothing on the host when their sandbox is closed", async (t) => {
  await runManyCommands(await serveBroker(t), 100);
});
