// The owner of an open sandbox edits its policy and reloads it: what the rules do not permit any more ends at once, what they permit besides opens nothing by
// itself, and the ledger has the change. INVARIANT I-06, I-11
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { commandLine } from "../fixtures/command-line.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";

const ruleFor = (ports: string, ...more: readonly string[]): string => {
  const rule = `{id: all, hosts: [api.example.com], ports: [${ports}], protocols: [tcp], verdict: allow}`;
  return `egress: [${[rule, ...more].join(", ")}]`;
};

const chat = "{id: chat, hosts: [api.example.com], ports: [8080], protocols: [ws], verdict: allow}";

/** Keeps one connection to the echo server and a WebSocket to one that echoes too; of each line it tries what it names. */
const client = `
import socket, sys
kept = socket.create_connection(("api.example.com", 7), 20)
kept.settimeout(20)
chat = socket.create_connection(("api.example.com", 8080), 20)
chat.settimeout(20)
chat.sendall(b"GET /chat HTTP/1.1\\r\\nHost: api.example.com:8080\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n")
head = b""
while b"\\r\\n\\r\\n" not in head: head += chat.recv(1) or sys.exit("no answer")
def echo(connection):
    connection.sendall(b"x")
    return "echoed" if connection.recv(1) == b"x" else "ended"
def new(port):
    with socket.create_connection(("api.example.com", port), 20) as connection:
        connection.sendall(b"GET /new HTTP/1.1\\r\\nHost: api.example.com\\r\\nConnection: close\\r\\n\\r\\n")
        return "reached" if connection.recv(12).endswith(b" 200") else "refused"
for line in sys.stdin:
    said = []
    for name in line.split():
        try: said.append(echo({"kept": kept, "chat": chat}[name]) if name.isalpha() else new(int(name)))
        except OSError: said.append("refused")
    print(" ".join(said), flush=True)
`;

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;

before(async () => {
  internet = await openInternet(resources);
  gloved = await makeGloved(internet, ruleFor("7, 80", chat));
});
after(() => resources.disposeAsync());

const policy = (): string => path.join(internet.directory, "project.yaml");
const write = (rules: string): Promise<void> => writeFile(policy(), `apiVersion: glovebox/v1\n${rules}\n`);

async function openSandbox(): Promise<string> {
  const opened = await gloved.glovebox("sandbox", "open", "--policy", policy(), "--project", gloved.project);
  assert.equal(opened.code, 0, opened.stderr);
  return opened.stdout.trim();
}

test("sandbox reload ends what vanished, opens what came for new connections only, refuses a policy that is none, and is recorded", async () => {
  const sandbox = await openSandbox();
  const argv = [process.execPath, commandLine, "sandbox", "exec", sandbox, "--", "/usr/bin/python3", "-c", client];
  const child = internet.start("machine", argv, { environment: gloved.environment, cwd: gloved.project, stdin: "pipe" });
  assert.ok(child.stdout !== null && child.stdin !== null);
  const { stdin } = child;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tries = async (words: string): Promise<unknown> => {
    stdin.write(`${words}\n`);
    return (await lines.next()).value;
  };
  assert.equal(await tries("kept chat 80 8080"), "echoed echoed reached refused");

  await write("egress: [{id: all, verdict: allow}]");
  const broken = await gloved.glovebox("sandbox", "reload", sandbox);
  assert.deepEqual([broken.code, broken.stderr.includes("POLICY_")], [2, true], broken.stderr);
  assert.equal(await tries("kept chat 80"), "echoed echoed reached", "the rules are the same as before");

  await write(`${ruleFor("80, 8080")}\nlimits: {wall: 14m}`);
  const reloaded = await gloved.glovebox("sandbox", "reload", sandbox);
  assert.deepEqual(
    [reloaded.code, /connections ended: 2$/mu.test(reloaded.stdout), /keeps the rest of its policy/u.test(reloaded.stderr)],
    [0, true, true],
    reloaded.stderr,
  );
  assert.equal(await tries("kept chat 80 8080"), "ended ended reached reached");

  await write("egress: []");
  assert.equal((await gloved.glovebox("sandbox", "reload", "--all")).code, 0);
  assert.equal(await tries("80 8080"), "refused refused");
  const ended = once(child, "close");
  stdin.end();
  await ended;
  assert.equal((await gloved.glovebox("sandbox", "close", sandbox)).code, 0);
  const { stdout } = await gloved.glovebox("ledger", "ls", "--json", "--limit", "500");
  assert.equal(stdout.match(/"type": "egress\.replaced"/gu)?.length, 2, stdout);
  assert.equal((await gloved.glovebox("ledger", "verify")).code, 0);
});

test("sandbox reload gives no way out to a sandbox that was opened without one", async () => {
  await write("egress: []");
  const sandbox = await openSandbox();
  await write(ruleFor("80"));
  const { code, stderr } = await gloved.glovebox("sandbox", "reload", sandbox);
  assert.deepEqual([code, stderr.includes("WALL_UNAVAILABLE")], [122, true], stderr);
  assert.equal((await gloved.glovebox("sandbox", "close", sandbox)).code, 0);
});
