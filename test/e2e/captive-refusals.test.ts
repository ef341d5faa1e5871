// What a captive network refuses, at once and with its destination told, and what nobody inside can change about it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RefusedAttempt } from "../../src/contracts/egress.ts";
import { openTestGate } from "../fixtures/test-gate.ts";
import { makeWorld, open, runIn } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";

interface Tried {
  readonly said: readonly string[];
  readonly attempts: readonly RefusedAttempt[];
  readonly connections: readonly string[];
}

interface Trial {
  readonly networks?: "found" | "one";
  /** The gate answers no connection before so many attempts were told: then their process is still there. */
  readonly toldFirst?: number;
}

/** Each line of `script` that begins with `t(` is one attempt, whose errno is said. */
async function tryInside(script: string, { networks = "found", toldFirst = 0 }: Trial = {}): Promise<Tried> {
  const world = await makeWorld();
  const gate = openTestGate({
    answer: (socket) =>
      void waitUntil("every refusal told", async () => gate.attempts.length >= toldFirst).then(
        () => socket.end(`${socket.localAddress} ${socket.localPort}`),
        () => socket.destroy(),
      ),
  });
  const sandbox = await open({ ...world.spec(), egress: gate }, { networks });
  const prelude = `
import errno, socket, struct, sys, time
open("/proc/self/comm", "w").write("sender")
def t(name, deed):
    try: print(name, "done", deed())
    except OSError as e: print(name, errno.errorcode.get(e.errno, e))
def sock(family, kind, protocol=0):
    s = socket.socket(family, kind, protocol); s.settimeout(20); return s
def udp(address, port, *options):
    s = sock(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    for option in options: s.setsockopt(*option)
    kept.append(s); return s.sendto(b"secret", (address, port))
kept = []
`;
  const { output } = await runIn(sandbox, ["python3", "-c", prelude + script], world.project);
  await sandbox.close();
  return { said: output.trim().split("\n"), attempts: gate.attempts, connections: gate.connections };
}

for (const networks of ["found", "one"] as const) {
  test(`a datagram to any port but 53 is refused at once with EPERM, and its destination is told (networks: ${networks})`, async () => {
    const { said, attempts } = await tryInside(
      `
t("quic", lambda: udp("93.184.216.34", 443))
t("ntp6", lambda: udp("2606:2800:220:1::1", 123))
t("metadata", lambda: udp("169.254.169.254", 80))
t("gate", lambda: udp("8.8.8.8", 65535))
t("broadcast", lambda: udp("255.255.255.255", 67, (socket.SOL_SOCKET, socket.SO_BROADCAST, 1)))
t("multicast", lambda: udp("224.0.0.251", 5353))
with socket.create_connection(("1.1.1.1", 80), 20) as c: c.recv(100)
`,
      { networks, toldFirst: 6 },
    );
    assert.deepEqual(said, ["quic EPERM", "ntp6 EPERM", "metadata EPERM", "gate EPERM", "broadcast EPERM", "multicast EPERM"]);
    const sent = { protocol: "udp", process: "sender" } as const;
    assert.deepEqual(attempts, [
      { ...sent, address: "93.184.216.34", port: 443 },
      { ...sent, address: "2606:2800:220:1::1", port: 123 },
      { ...sent, address: "169.254.169.254", port: 80 },
      { ...sent, address: "8.8.8.8", port: 65535 },
      { ...sent, address: "255.255.255.255", port: 67 },
      { ...sent, address: "224.0.0.251", port: 5353 },
    ]);
  });
}

for (const networks of ["found", "one"] as const) {
  test(`an answer that nobody waits for any more is no attempt of anybody (networks: ${networks})`, async () => {
    const { said, attempts } = await tryInside(
      `
for address, family in [("1.1.1.1", socket.AF_INET), ("2606::1", socket.AF_INET6)]:
    gone = sock(family, socket.SOCK_DGRAM); gone.sendto(b"gone", (address, 53)); gone.close()
    kept = sock(family, socket.SOCK_DGRAM); kept.sendto(b"kept", (address, 53)); print(kept.recv(100).decode())
kept = []
t("quic", lambda: udp("1.1.1.1", 443))
with socket.create_connection(("1.1.1.1", 80), 20) as c: c.recv(100)
`,
      { networks, toldFirst: 1 },
    );
    assert.deepEqual(said, ["kept", "kept", "quic EPERM"]);
    assert.deepEqual(
      attempts.map(({ protocol, address }) => `${protocol} ${address}`),
      ["udp 1.1.1.1"],
    );
  });
}

test("no other kind of socket reaches anything", async () => {
  const { said, attempts, connections } = await tryInside(`
t("icmp", lambda: sock(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP).sendto(b"\\x08\\0\\0\\0\\0\\0\\0\\0", ("1.1.1.1", 0)))
t("icmp6", lambda: sock(socket.AF_INET6, socket.SOCK_DGRAM, socket.IPPROTO_ICMPV6).sendto(b"\\x80\\0\\0\\0\\0\\0\\0\\0", ("2606::1", 0)))
t("raw", lambda: sock(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW))
t("raw6", lambda: sock(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6))
t("packet", lambda: sock(socket.AF_PACKET, socket.SOCK_RAW, 3))
t("vsock", lambda: sock(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 1)))
t("sctp", lambda: sock(socket.AF_INET, socket.SOCK_STREAM, 132).connect(("1.1.1.1", 80)))
t("sctp-seqpacket", lambda: sock(socket.AF_INET, socket.SOCK_SEQPACKET, 132).connect(("1.1.1.1", 80)))
t("dccp", lambda: sock(socket.AF_INET, 6, 33).connect(("1.1.1.1", 80)))
t("udplite", lambda: sock(socket.AF_INET, socket.SOCK_DGRAM, 136).sendto(b"x", ("1.1.1.1", 80)))
t("bluetooth", lambda: sock(31, socket.SOCK_STREAM, 3))
t("fast-open", lambda: sock(socket.AF_INET, socket.SOCK_STREAM).sendto(b"x", 0x20000000, ("1.1.1.1", 80)))
`);
  const refusals = /^\S+ (EPERM|EACCES|EAFNOSUPPORT|EPROTONOSUPPORT|ESOCKTNOSUPPORT|ENOTSUP)$/u;
  assert.deepEqual(
    said.filter((line) => !refusals.test(line)),
    [],
  );
  assert.equal(said.length, 12);
  assert.deepEqual([attempts.filter(({ protocol }) => protocol === "tcp"), connections], [[], []]);
});

test("nobody inside changes routes, links, addresses, rules or settings of the network, or steps around them", async () => {
  const { said } = await tryInside(`
def route(kind, flags, body):
    s = sock(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    s.send(struct.pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body)
    error = struct.unpack("i", s.recv(4096)[16:20])[0]
    if error < 0: raise OSError(-error, "")
def option(level, name, value=1): sock(socket.AF_INET, socket.SOCK_STREAM).setsockopt(level, name, value)
def write(file): open(file, "w").write("1")
t("route", lambda: route(24, 0x605, struct.pack("BBBBBBBBI", 2, 0, 0, 0, 254, 3, 0, 1, 0)))
t("link-down", lambda: route(16, 5, struct.pack("BBHiII", 0, 0, 0, 2, 0, 1)))
t("address", lambda: route(20, 0x605, struct.pack("BBBBI", 2, 32, 0, 0, 1) + struct.pack("HH4s", 8, 2, socket.inet_aton("1.1.1.1"))))
t("nftables", lambda: sock(socket.AF_NETLINK, socket.SOCK_RAW, 12))
t("transparent", lambda: option(socket.SOL_IP, 19))
t("mark", lambda: option(socket.SOL_SOCKET, 36))
t("device-up", lambda: __import__("fcntl").ioctl(sock(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, b"eth0" + bytes(12) + struct.pack("H", 0) + bytes(22)))
t("forward", lambda: write("/proc/sys/net/ipv4/ip_forward"))
t("ports", lambda: write("/proc/sys/net/ipv4/ip_unprivileged_port_start"))
t("ping", lambda: open("/proc/sys/net/ipv4/ping_group_range", "w").write("0 2147483647"))
t("netns", lambda: open("/proc/1/ns/net"))
`);
  const [, , , rules, ...rest] = said;
  assert.equal(rules, "nftables EAFNOSUPPORT");
  assert.deepEqual(said.slice(0, 3).concat(rest.slice(0, 3)), [
    "route EPERM",
    "link-down EPERM",
    "address EPERM",
    "transparent EPERM",
    "mark EPERM",
    "device-up EPERM",
  ]);
  assert.deepEqual(
    rest.slice(3).filter((line) => !/^(forward|ports|ping|netns) (EROFS|EACCES|EPERM)$/u.test(line)),
    [],
  );
});

test("a flood of refused datagrams is told in part, and does not hold up a connection", async () => {
  const started = performance.now();
  const { said, attempts, connections } = await tryInside(`
s = sock(socket.AF_INET, socket.SOCK_DGRAM)
refused = 0
for i in range(20000):
    try: s.sendto(b"x", ("1.1.1.1", 1000 + i))
    except PermissionError: refused += 1
print(refused)
with socket.create_connection(("93.184.216.34", 80), 20) as c: print(c.recv(100).decode().strip())
`);
  const seconds = (performance.now() - started) / 1000;
  assert.deepEqual([said, connections.length], [["20000", "::ffff:93.184.216.34 80"], 1]);
  // Two networks could each tell a burst of 100 and 100 a second.
  assert.ok(attempts.length >= 50 && attempts.length <= 200 + 200 * seconds, `${attempts.length} in ${seconds} s`);
});

/** Where there is one network, the kernel no longer knows who was asked: the sandbox's own resolver is told. */
const asked: ReadonlySet<string> = new Set(["1.1.1.1", "2606::1", "198.18.0.2"]);

for (const networks of ["found", "one"] as const) {
  test(`more questions for names than there may be in a second are refused, and told as that (networks: ${networks})`, async () => {
    const { said, attempts } = await tryInside(
      `
refused = 0
for address in ("1.1.1.1", "2606::1"):
    s = sock(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    for i in range(5000):
        try: s.sendto(b"x", (address, 53))
        except OSError as e: refused += e.errno == errno.EPERM
print(refused)
`,
      { networks },
    );
    assert.ok(Number(said[0]) > 0 && Number(said[0]) <= 9500, said.join());
    assert.ok(attempts.length > 0);
    for (const { protocol, port, address } of attempts)
      assert.ok(protocol === "udp" && port === 53 && asked.has(address), `${protocol} ${address} ${port}`);
  });
}
