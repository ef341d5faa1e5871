// What leaves a sandbox with an egress endpoint, and where it arrives: with a gate of the test's own, in both forms of the captive network.
import assert from "node:assert/strict";
import { chmod, copyFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import type { Sandbox } from "../../src/contracts/boundary.ts";
import { openProgramCache } from "../escape/harness/program.ts";
import { openTestGate, type TestGate } from "../fixtures/test-gate.ts";
import { base, makeWorld, open, options, runIn, type World } from "./process-boundary-fixture.ts";

const forms = ["found", "one"] as const;

interface Inside {
  readonly gate: TestGate;
  readonly sandbox: Sandbox;
  readonly python: (script: string, ...args: readonly string[]) => Promise<readonly string[]>;
}

async function enter(world: World, networks: (typeof forms)[number], gate = openTestGate()): Promise<Inside> {
  const sandbox = await open({ ...world.spec(), egress: gate }, { networks });
  const python = async (script: string, ...args: readonly string[]): Promise<readonly string[]> =>
    (await runIn(sandbox, ["python3", "-c", script, ...args], world.project)).output.trim().split("\n");
  return { gate, sandbox, python };
}

const reach = `
import socket, sys, errno
for destination in sys.argv[2:]:
    address, port = destination.rsplit(" ", 1)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM, int(sys.argv[1])) as s:
            s.settimeout(10); s.connect((address, int(port))); print(s.recv(200).decode().strip())
    except OSError as e: print(destination, errno.errorcode.get(e.errno, e))
`;

/** Public, private, metadata, carrier-grade, benchmark and reserved addresses, the gate's own, and ports from end to end. */
const destinations = [
  "93.184.216.34 80",
  "8.8.8.8 53",
  "169.254.169.254 80",
  "100.100.100.200 80",
  "168.63.129.16 32526",
  "10.1.2.3 22",
  "192.168.0.1 65535",
  "198.18.0.1 443",
  "240.0.0.1 1",
  "192.0.0.1 2",
  "2606:2800:220:1::1 443",
  "fd00:ec2::254 80",
  "64:ff9b::7f00:1 80",
  "2002:7f00:1:: 25",
];

const asSeen = (destination: string): string => (destination.includes(":") ? destination : `::ffff:${destination}`);

const exchange = `
import hashlib, socket, sys, threading
sent = hashlib.sha256(b"stream").digest() * (1 << 18)
for address in sys.argv[1:]:
    with socket.create_connection((address, 80), 60) as s:
        writer = threading.Thread(target=s.sendall, args=(sent,)); writer.start()
        heard = bytearray()
        while len(heard) < len(sent) and (got := s.recv(1 << 20)): heard += got
        writer.join(); print(address, len(heard), bytes(heard) == sent)
`;

test("a long stream crosses in packets beyond 64 KiB, and arrives whole both ways, of either family", async () => {
  const gate = openTestGate({ answer: (socket) => void socket.pipe(socket) });
  const world = await makeWorld();
  const { sandbox, python } = await enter(world, "found", gate);
  const places = ["93.184.216.34", "2606:2800:220:1::1"];
  const output = await python(exchange, ...places);
  const link = await runIn(sandbox, ["ip", "-details", "link", "show", "eth0"], world.project);
  await sandbox.close();
  assert.deepEqual(
    output,
    places.map((place) => `${place} ${8 << 20} True`),
  );
  assert.match(link.output, / gso_max_size 262144 /u);
});

for (const networks of forms) {
  for (const [name, protocol] of [
    ["TCP", 0],
    ["MPTCP", 262],
  ] as const) {
    test(`every ${name} connection arrives at the gate with its destination (networks: ${networks})`, async () => {
      const { gate, sandbox, python } = await enter(await makeWorld(), networks);
      const output = await python(reach, String(protocol), ...destinations);
      await sandbox.close();
      const arrived = destinations.map(asSeen);
      assert.deepEqual(output, arrived);
      assert.deepEqual(gate.connections, arrived);
      assert.deepEqual(gate.attempts, []);
    });
  }

  test(`a question for a name arrives at the gate, and the answer comes from who was asked (networks: ${networks})`, async () => {
    const { gate, sandbox, python } = await enter(await makeWorld(), networks);
    const ask = `
import socket, sys
for address in sys.argv[1:]:
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(10); s.connect((address, 53)); s.send(("for " + address).encode()); print(s.recv(200).decode())
`;
    const resolvers = ["9.9.9.9", "10.0.0.53", "2620:fe::fe", "fd00::53"];
    const output = await python(ask, ...resolvers);
    await sandbox.close();
    assert.deepEqual(
      output,
      resolvers.map((address) => `for ${address}`),
    );
    assert.deepEqual(
      gate.questions.map(({ bytes }) => bytes.toString()),
      output,
    );
  });

  test(`a sandbox's own listeners are free, and no connection to an outside address reaches one (networks: ${networks})`, async () => {
    const { gate, sandbox, python } = await enter(await makeWorld(), networks);
    const serve = `
import socket, threading
def serve(family, address, port):
    s = socket.socket(family); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    s.bind((address, port)); s.listen()
    def loop():
        while True: s.accept()[0].sendall(("own %s %d" % (address, port)).encode())
    threading.Thread(target=loop, daemon=True).start()
def say(address, port):
    with socket.create_connection((address, port), 10) as s: print(s.recv(100).decode().strip())
serve(socket.AF_INET, "127.0.0.1", 53); serve(socket.AF_INET, "0.0.0.0", 80); serve(socket.AF_INET6, "::", 80)
say("127.0.0.1", 53); say("127.0.0.1", 80); say("127.1.2.3", 80); say("::1", 80); say("localhost", 80)
say("1.1.1.1", 80); say("2606:4700::1", 80); say("192.0.0.1", 80)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 5353))
v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); v.settimeout(10); v.sendto(b"own datagram", ("127.0.0.1", 5353)); print(u.recv(100).decode())
`;
    const output = await python(serve);
    await sandbox.close();
    const outside = ["::ffff:1.1.1.1 80", "2606:4700::1 80", "::ffff:192.0.0.1 80"];
    const own = ["own 127.0.0.1 53", "own 0.0.0.0 80", "own 0.0.0.0 80", "own :: 80", "own :: 80"];
    assert.deepEqual(output, [...own, ...outside, "own datagram"]);
    assert.deepEqual(gate.connections, outside);
  });
}

test("a program that asks for the machine's kinds of addresses learns of both", async () => {
  const { sandbox, python } = await enter(await makeWorld(), "found");
  const script = `
import socket
for address in ("93.184.216.34", "2606:2800::1"): print(socket.getaddrinfo(address, 80, 0, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)[0][4][0])
`;
  assert.deepEqual(await python(script), ["93.184.216.34", "2606:2800::1"]);
  await sandbox.close();
});

test("whoConnects() names the process that has a connection, and nobody for another port", async () => {
  const seen: (string | undefined)[] = [];
  const opened: Sandbox[] = [];
  const gate = openTestGate({
    answer: (socket) => {
      for (const port of [socket.remotePort ?? 0, (socket.remotePort ?? 0) ^ 1]) seen.push(opened[0]?.whoConnects(port));
      socket.end("done");
    },
  });
  const { sandbox, python } = await enter(await makeWorld(), "found", gate);
  opened.push(sandbox);
  const script = `
import socket
open("/proc/self/comm", "w").write("my agent")
with socket.create_connection(("203.0.113.7", 443), 10) as s: print(s.recv(100).decode())
`;
  assert.deepEqual(await python(script), ["done"]);
  await sandbox.close();
  assert.deepEqual(seen, ["my agent", undefined]);
});

test("on a machine without IPv6 the network is made without it", async () => {
  await using programs = await openProgramCache();
  const wrapped = path.join(base, "captive-without-ipv6");
  await copyFile(await programs.compiled("without-calls"), path.join(base, "without-calls"));
  await copyFile(options.captivePath, path.join(base, "captive"));
  await writeFile(wrapped, `#!/bin/sh\nexec ${base}/without-calls ipv6 ${base}/captive "$@"\n`);
  for (const name of ["without-calls", "captive", "captive-without-ipv6"]) await chmod(path.join(base, name), 0o755);
  for (const networks of forms) {
    const world = await makeWorld();
    const gate = openTestGate();
    const sandbox = await open({ ...world.spec(), egress: gate }, { networks, captivePath: wrapped });
    const ask =
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(10); s.connect(('9.9.9.9', 53)); s.send(b'q'); print(s.recv(9))";
    const { output } = await runIn(sandbox, ["python3", "-c", reach + ask, "0", "93.184.216.34 80", "2606:2800::1 80"], world.project);
    await sandbox.close();
    assert.deepEqual(output.trim().split("\n"), ["93.184.216.34 80", "2606:2800::1 80 EAFNOSUPPORT", "b'q'"], networks);
  }
});

test("a connection is refused at once when the gate has closed its listeners", async () => {
  const { gate, sandbox, python } = await enter(await makeWorld(), "found");
  await gate.close();
  assert.deepEqual(await python(reach, "0", "93.184.216.34 80"), ["93.184.216.34 80 ECONNREFUSED"]);
  await sandbox.close();
});
