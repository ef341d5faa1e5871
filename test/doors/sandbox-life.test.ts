// A sandbox that outlives its commands, through the door of a broker in a process of its own. INVARIANT I-01, I-03, I-09
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { serveBroker, shell } from "../fixtures/served-broker.ts";

const listener = `python3 -c '
import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
open("port", "w").write(str(s.getsockname()[1]))
while True:
    c, _ = s.accept(); c.sendall(b"from inside: " + c.recv(100)); c.close()
' >/dev/null 2>&1 &
until test -s port; do sleep 0.05; done; echo up`;

test("what a command leaves running is there for the next, and for the host through a port", async (t) => {
  const served = await serveBroker(t);
  const access = await served.open();
  const started = await shell(served, access, listener);
  assert.deepEqual([started.output, started.result.exitCode, started.result.isLeftRunning], ["up\n", 0, true]);
  const asked = `python3 -c 'import socket; s = socket.create_connection(("127.0.0.1", int(open("port").read()))); s.sendall(b"hello"); print(s.recv(100).decode())'`;
  assert.equal((await shell(served, access, asked)).output, "from inside: hello\n");
  const port = Number(await readFile(path.join(served.project, "port"), "utf8"));
  const connection = await served.broker.sandboxes.connect(access, port);
  await connection.send(Buffer.from("host"));
  let heard = "";
  for await (const bytes of connection.received) heard += Buffer.from(bytes).toString();
  assert.equal(heard, "from inside: host");
  const records = await served.door.records({ task: access.task, limit: 20 });
  assert.deepEqual(
    records.flatMap(({ type, body }) => (type === "execution.connected" ? [body["port"]] : [])),
    [port],
  );
});

test("each command has its own directory, environment, exit code and record", async (t) => {
  const served = await serveBroker(t);
  const access = await served.open();
  const first = await shell(served, access, "pwd; echo $OWN; exit 7", { cwd: "/usr", environment: { OWN: "yes" } });
  assert.deepEqual([first.output, first.result.exitCode, first.result.child], ["/usr\nyes\n", 7, { kind: "exited", value: 7 }]);
  await shell(served, access, "echo made > file");
  assert.equal(await readFile(path.join(served.project, "file"), "utf8"), "made\n");
  const end = await served.broker.sandboxes.end(access);
  assert.equal(end.changes?.counts.created, 1);
  const records = (await served.door.records({ task: access.task, limit: 100 })).toReversed();
  assert.deepEqual(
    records.map(({ type, body }) => (type === "policy.decision" ? String(body["kind"]) : type)),
    [
      "sandbox",
      "execution.opened",
      "command",
      "execution.ended",
      "result.returned",
      "command",
      "execution.ended",
      "result.returned",
      "execution.changes",
      "execution.closed",
    ],
  );
  assert.equal(new Set(records.map(({ action }) => action)).size, 3);
  assert.equal((await served.door.verify({})).exit, 0);
  assert.deepEqual(await readdir(path.join(served.state, "tasks")), []);
});

test("a detached command goes on without a reader; its last output is kept, and whoever attaches gets its end", async (t) => {
  const served = await serveBroker(t);
  const access = await served.open();
  const { result } = await shell(served, access, "echo first; read line; echo got $line; exit 3", { isDetached: true });
  let output = "";
  const attached = await served.broker.sandboxes.attach(access, result.action, {
    signal: new AbortController().signal,
    stdin: (async function* one() {
      yield Buffer.from("word\n");
    })(),
    onOutput: async ({ bytes }) => void (output += Buffer.from(bytes).toString()),
    onStart: () => {},
  });
  assert.deepEqual([attached.exitCode, output], [3, "first\ngot word\n"]);
  const [log] = await served.broker.sandboxes.logs(access, result.action);
  assert.equal(Buffer.from(log?.bytes ?? []).toString(), "first\ngot word\n");
});

test("an id or token that is not its own opens nothing, and a closed sandbox says so", async (t) => {
  const served = await serveBroker(t);
  const [one, other] = [await served.open(), await served.open()];
  const wrong = { sandbox: one.sandbox, token: other.token };
  await assert.rejects(shell(served, wrong, "true"), { code: "SANDBOX_UNKNOWN" });
  await assert.rejects(served.broker.sandboxes.end(wrong), { code: "SANDBOX_UNKNOWN" });
  await assert.rejects(served.broker.sandboxes.logs({ sandbox: "s-nothing", token: one.token }, undefined), { code: "SANDBOX_UNKNOWN" });
  await assert.rejects(served.broker.access("../door/admin.key"), { code: "SANDBOX_UNKNOWN" });
  await served.broker.sandboxes.end(one);
  await assert.rejects(shell(served, one, "true"), { code: "SANDBOX_CLOSED" });
  // Also who has nothing but its id, as on the command line.
  await assert.rejects(served.broker.access(one.sandbox), { code: "SANDBOX_CLOSED", situation: "sandbox.closed" });
  assert.deepEqual(
    (await served.broker.sandboxes.list()).map(({ sandbox }) => sandbox),
    [other.sandbox],
  );
  assert.equal((await shell(served, other, "echo still")).output, "still\n");
});
