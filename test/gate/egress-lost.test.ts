// The gate is killed, or the ledger fails, while a task has connections open: nothing leaves from then on, the record says what happened, and nothing
// of the task is left. INVARIANT I-06, I-11
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import type { PacketCapture } from "../fixtures/internet/packet-capture.ts";

const policy = "egress: [{id: all, hosts: [api.example.com], ports: [7, 80, 8080], protocols: [tcp], verdict: allow}]";

/** Tries the ways that a line names, and says of each what it brought. */
const client = `
import socket, sys
def ask(connection, token):
    connection.settimeout(10)
    connection.sendall(b"GET /%s HTTP/1.1\\r\\nHost: api.example.com\\r\\nConnection: close\\r\\n\\r\\n" % token)
    return connection.recv(12).decode()
def captured(token, port=80):
    with socket.create_connection(("api.example.com", port), 10) as connection: return ask(connection, token)
def tunnel(port):
    connection = socket.create_connection(("198.18.0.1", 3128), 10)
    connection.sendall(b"CONNECT api.example.com:%d HTTP/1.1\\r\\nHost: api.example.com:%d\\r\\n\\r\\n" % (port, port))
    answer = connection.recv(4096)
    if b" 200" not in answer[:12]: raise OSError(answer)
    return connection
def connect(token):
    with tunnel(80) as connection: return ask(connection, token)
def echo(token):
    kept.sendall(token)
    return "echoed" if kept.recv(100) == token else "ended"
kept = tunnel(7)
kept.settimeout(10)
ways = {"captured": captured, "connect": connect, "kept": echo, "new": lambda token: captured(token, 8080)}
for line in sys.stdin:
    token, *names = line.split()
    said = []
    for name in names:
        try: said.append(ways[name](token.encode()) or "nothing")
        except OSError: said.append("refused")
    print(", ".join(said), flush=True)
`;

const resources = new AsyncDisposableStack();
let internet: Internet;

before(async () => {
  internet = await openInternet(resources);
});
after(() => resources.disposeAsync());

interface RunningTask {
  readonly gloved: Gloved;
  /** Of the processes of this run: the one that runs this program, from the bundle or from the sources. */
  pidOf(program: "broker" | "gate"): number;
  ask(token: string, ...ways: readonly string[]): Promise<string>;
  /** Lets the client end, and waits for the run. */
  end(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

const programs = { broker: /\/(?:main\.ts|start-bundle\.cjs) /u, gate: /\/gate\.(?:ts|cjs) /u };

const words = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return ""; // it has ended since
  }
};

/** Processes that name this place on their command lines. */
const processesOf = (place: string): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(words)
    .filter((line) => line.includes(place));

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/mu.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  } catch {
    return 0;
  }
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1; at = parentOf(at)) if (at === ancestor) return true;
  return false;
}

async function startTask(t: TestContext, name: string): Promise<RunningTask> {
  const gloved = await makeGloved(internet, policy, name);
  const child = gloved.start(["/usr/bin/python3", "-c", client], { stdin: "pipe" });
  const ended = once(child, "close");
  t.after(async () => {
    child.stdin?.end();
    await ended;
  });
  if (child.stdout === null) throw new TypeError("no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let stderr = "";
  child.stderr?.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  return {
    gloved,
    pidOf: (program) => {
      const found = readdirSync("/proc").filter(
        (pid) => /^\d+$/u.test(pid) && programs[program].test(words(pid)) && isBelow(Number(pid), child.pid ?? 0),
      );
      const own = found.filter((pid) => !words(pid).startsWith("/usr/bin/nsenter"));
      assert.equal(own.length, 1, own.map(words).join("\n"));
      return Number(own[0]);
    },
    ask: async (token, ...ways) => {
      child.stdin?.write(`${token} ${ways.join(" ")}\n`);
      const line = await lines.next();
      return line.done === true ? stderr : line.value;
    },
    end: async () => {
      child.stdin?.end();
      await ended;
      return { code: child.exitCode, stderr };
    },
  };
}

const ok = "HTTP/1.1 200";

/** What left the machine while this ran. */
async function packetsDuring(work: () => Promise<void>): ReturnType<PacketCapture["stop"]> {
  const capture = await internet.capture();
  await work();
  return capture.stop();
}

async function taskOf({ glovebox }: Gloved): Promise<string> {
  const { stdout } = await glovebox("ledger", "ls", "--json");
  const [task] = /t-[0-9a-f-]+/u.exec(stdout) ?? [];
  assert.ok(task !== undefined, stdout);
  return task;
}

test("when the gate is killed nothing leaves any more, the sheet says so, and nothing is left", async (t) => {
  const task = await startTask(t, "killed");
  assert.equal(await task.ask("before", "captured", "connect", "kept"), `${ok}, ${ok}, echoed`);
  const [gate, arrived] = [task.pidOf("gate"), internet.arrivals.length];
  process.kill(gate, "SIGKILL");
  const packets = await packetsDuring(async () => {
    assert.match(await task.ask("after", "kept", "captured", "connect"), /^(?:refused|ended), refused, refused$/u);
  });
  // The kernel says goodbye to the far end of what was open.
  assert.deepEqual(
    packets.filter(({ port }) => port !== 7),
    [],
  );
  const { code, stderr } = await task.end();
  assert.equal(code, 0, stderr);
  assert.deepEqual(internet.arrivals.slice(arrived), []);
  const { stdout } = await task.gloved.glovebox("explain", await taskOf(task.gloved));
  assert.ok(stdout.includes("the gate ended before the task did"), stdout);
  assert.equal((await task.gloved.glovebox("ledger", "verify")).code, 0);
  assert.deepEqual(processesOf(task.gloved.project), []);
  assert.deepEqual(await readdir(path.join(task.gloved.environment["XDG_STATE_HOME"] ?? "", "glovebox/tasks")), []);
});

test("when the ledger fails, what is open ends with the first decision that cannot be recorded, and nothing leaves", async (t) => {
  const task = await startTask(t, "failing");
  assert.equal(await task.ask("before", "captured", "connect", "kept"), `${ok}, ${ok}, echoed`);
  const [broker, arrived] = [task.pidOf("broker"), internet.arrivals.length];
  // No file of it may grow: every write to the ledger fails from now on.
  const limitFiles = (soft: string) => promisify(execFile)("/usr/bin/prlimit", [`--pid=${broker}`, `--fsize=${soft}:`]);
  await limitFiles("0");
  const answers = await task.ask("after", "new", "kept", "captured", "connect");
  assert.match(answers, /^refused, (?:refused|ended), refused, refused$/u);
  assert.deepEqual(internet.arrivals.slice(arrived), []);
  const { code, stderr } = await task.end();
  assert.equal(code, 125, stderr);
  assert.match(stderr, /LEDGER_UNWRITABLE/u);
  assert.deepEqual(internet.arrivals.slice(arrived), []);
  assert.deepEqual(processesOf(task.gloved.project), []);
});
