// What somebody could do who had every capability over a sandbox's network, which nobody inside has: the host enters it with all of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { openTestGate } from "../fixtures/test-gate.ts";
import { makeWorld, open, processesWith } from "./process-boundary-fixture.ts";

/** Takes every rule of the network away, then tries every way out of it. */
const script = `
import ctypes, errno, os, socket, struct, sys
spaces = [os.open("/proc/%s/ns/%s" % (sys.argv[1], name), os.O_RDONLY) for name in ("user", "net")]
for space in spaces:
    if ctypes.CDLL(None).setns(space, 0) != 0: raise OSError("setns")
def nfnetlink(*messages):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12); s.bind((0, 0))
    parts = [(16, 0, 10), *messages, (17, 0, 10)]
    s.send(b"".join(struct.pack("=IHHIIBBH", 20, kind, 1 | flags, 1, 0, 0, 0, socket.htons(resource)) for kind, flags, resource in parts))
    return struct.unpack("=i", s.recv(4096)[16:20])[0]
def outcome(deed):
    try: return deed()
    except OSError as e: return errno.errorcode.get(e.errno, e)
def udp(address, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(20); s.connect((address, port)); s.send(b"secret"); return s.recv(100)
def tcp(*options):
    s = socket.socket(socket.AF_INET); s.settimeout(20)
    for option in options: s.setsockopt(*option)
    s.connect(("93.184.216.34", 443)); return s.recv(100).decode().strip()
def raw():
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); s.settimeout(20)
    s.sendto(b"\\x08\\0\\xf7\\xff\\0\\0\\0\\0", ("203.0.113.9", 0)); return "ICMP type %d" % s.recv(100)[20]
print("before", outcome(lambda: udp("8.8.8.8", 443)))
print("flush", nfnetlink(((10 << 8) | 2, 4, 0)))
print("datagram", outcome(lambda: udp("8.8.8.8", 443)))
print("stream", outcome(tcp))
print("transparent", outcome(lambda: tcp((socket.SOL_IP, 19, 1), (socket.SOL_SOCKET, 36, 7))))
print("echo", outcome(raw))
`;

test("with every capability over a sandbox's network, streams still arrive at the gate and nothing else leaves", async () => {
  const world = await makeWorld();
  const gate = openTestGate();
  const sandbox = await open({ ...world.spec(), egress: gate });
  const channels = await processesWith("--channel");
  const [captive] = (await processesWith(`--sandbox=${sandbox.id}`)).filter((pid) => channels.includes(pid));
  // By no further program: that would not keep the capabilities of an id that is not 0.
  const { stdout, stderr } = await capture("/usr/bin/python3", ["-c", script, captive ?? ""]);
  await sandbox.close();
  const destination = "::ffff:93.184.216.34 443";
  assert.deepEqual(
    [stdout.trim().split("\n"), stderr],
    [
      // Without its courtesy the application's network refuses nothing by itself: the gate's does, a moment later.
      ["before EPERM", "flush 0", "datagram ECONNREFUSED", `stream ${destination}`, `transparent ${destination}`, "echo ICMP type 3"],
      "",
    ],
  );
  assert.deepEqual(gate.connections, [destination, destination]);
  assert.deepEqual(gate.attempts, [
    { protocol: "udp", address: "8.8.8.8", port: 443 },
    { protocol: "udp", address: "8.8.8.8", port: 443 },
    { protocol: "icmp", address: "203.0.113.9" },
  ]);
});
