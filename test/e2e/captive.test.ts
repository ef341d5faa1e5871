// The captive network with a gate of the test's own: what leaves a sandbox, where it arrives, and what it leaves behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestGate } from "./captive-fixture.ts";
import { makeWorld, open, runIn } from "./process-boundary-fixture.ts";

const forms = ["found", "one"] as const;

const reach = `
import socket, sys, errno
for address, port in [a.rsplit(" ", 1) for a in sys.argv[1:]]:
    try:
        with socket.create_connection((address, int(port)), 5) as s: print(s.recv(200).decode().strip())
    except OSError as e: print(address, errno.errorcode.get(e.errno, e))
`;

for (const networks of forms) {
  test(`every TCP connection arrives at the gate with its destination (networks: ${networks})`, async () => {
    const world = await makeWorld();
    const gate = openTestGate();
    const sandbox = await open({ ...world.spec(), egress: gate }, { networks });
    const destinations = [
      "93.184.216.34 80",
      "169.254.169.254 80",
      "10.1.2.3 22",
      "192.168.0.1 65535",
      "2606:2800:220:1::1 443",
      "fd00:ec2::254 80",
    ];
    const { output } = await runIn(sandbox, ["python3", "-c", reach, ...destinations], world.project);
    await sandbox.close();
    const arrived = destinations.map((destination) => (destination.includes(".") ? `::ffff:${destination}` : destination));
    assert.deepEqual(output.trim().split("\n"), arrived);
    assert.deepEqual(gate.connections, arrived);
    assert.deepEqual(gate.events, ["attach", "close"]);
  });
}
