// A container from which something may leave: the runtime is started in a captive network, and nothing goes around it.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { type ContainerBoundaryOptions, reapContainerSandbox } from "../../src/boundaries/container/container.ts";
import type { Sandbox } from "../../src/contracts/boundary.ts";
import { observe } from "../fixtures/observe/observe.ts";
import { assertNoKernelObjectLeft } from "../fixtures/residue.ts";
import { openTestGate } from "../fixtures/test-gate.ts";
import { base, containerSpec, openContained, project, runContained } from "./container-fixture.ts";
import { processesWith } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";

const look = () => observe({ markers: [base], ancestors: [process.pid] });

const tries = `
import errno, socket
for address, port in (("93.184.216.34", 80), ("169.254.169.254", 80), ("2606:2800:220:1::1", 443)):
    with socket.create_connection((address, port), 10) as s: print(s.recv(200).decode().strip())
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.settimeout(10); s.connect(("9.9.9.9", 53)); s.send(b"a question"); print(s.recv(200).decode())
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    try: s.sendto(b"x", ("93.184.216.34", 443))
    except OSError as e: print(errno.errorcode[e.errno])
with socket.create_server(("0.0.0.0", 8080)) as s, socket.create_connection(("127.0.0.1", 8080)): print("own", s.accept()[1][0])
for line in open("/etc/resolv.conf"): print(line.strip())
`;
import { linuxRuntimes } from "../fixtures/container-options.ts";

const seen = [
  "::ffff:93.184.216.34 80",
  "::ffff:169.254.169.254 80",
  "2606:2800:220:1::1 443",
  "a question",
  "EPERM",
  "own 127.0.0.1",
  "nameserver 198.18.0.2",
];

const forms = [
  ["runc", "found"],
  ["crun", "found"],
  ["crun", "one"],
] as const;

for (const [runtime, networks] of forms) {
  test(`${runtime}: every connection and question arrives at the gate, all else is refused and told (networks: ${networks})`, async () => {
    const before = look();
    const gate = openTestGate();
    const sandbox = await openContained(runtime, { ...containerSpec(), egress: gate }, { networks });
    const { output } = await runContained(sandbox, ["python3", "-c", tries]);
    await sandbox.close();
    assert.deepEqual(output.trim().split("\n"), seen);
    assert.deepEqual(gate.connections, seen.slice(0, 3));
    assert.deepEqual(
      gate.questions.map(({ bytes }) => bytes.toString()),
      ["a question"],
    );
    assert.deepEqual(
      gate.attempts.map(({ protocol, address, port }) => `${protocol} ${address} ${port}`),
      ["udp 93.184.216.34 443"],
    );
    assert.equal(
      sandbox.walls.layers.some(({ name }) => name === "captive-network"),
      true,
    );
    assert.deepEqual(gate.events, ["attach", "close"]);
    assertNoKernelObjectLeft(before, look());
  });
}

/** What made the network of a container, and is the parent of its runtime. */
async function captiveOf({ id }: Sandbox): Promise<number> {
  const channels = await processesWith("--channel");
  const found = (await processesWith(`glovebox-${id}`)).filter((pid) => channels.includes(pid));
  assert.equal(found.length, 1);
  return Number(found[0]);
}

for (const runtime of linuxRuntimes) {
  test(`${runtime}: what watches the network is nobody, holds nothing, and takes the container with it`, async () => {
    const sandbox = await openContained(runtime, { ...containerSpec(), egress: openTestGate() });
    const execution = await sandbox.exec({ argv: ["sleep", "1000"], cwd: project });
    const captive = await captiveOf(sandbox);
    const statusNow = () => readFile(`/proc/${captive}/status`, "utf8");
    // It starts the runtime first, and gives up what it needed for that beside it.
    await waitUntil("the end of its set-up", async () => /^Seccomp:\t2$/mu.test(await statusNow()));
    const status = await statusNow();
    assert.match(status, /^Uid:\t([1-9]\d*)\t\1\t\1\t\1$/mu);
    assert.match(status, /^Cap(?:Prm|Eff):\t0+\n[\s\S]*^Seccomp:\t2$/mu);
    process.kill(captive, "SIGKILL");
    assert.equal((await execution.exit).kind, "lost");
    await sandbox.close();
    await waitUntil("the end of the container", async () => (await processesWith(sandbox.id)).length === 0);
  });

  test(`${runtime}: the reaper ends a container with its network`, async () => {
    const sandbox = await openContained(runtime, { ...containerSpec(), egress: openTestGate() });
    const captive = await captiveOf(sandbox);
    await reapContainerSandbox({ sandboxId: sandbox.id, cgroups: [] });
    assert.deepEqual(await processesWith(sandbox.id), []);
    assert.equal((await processesWith("--channel")).includes(String(captive)), false);
    await sandbox.close();
  });
}

test("a container whose network cannot be made does not open, and no gate hears of it", async () => {
  const failing = path.join(base, "failing-captive");
  await writeFile(failing, "#!/bin/sh\necho 'captive: rules EOPNOTSUPP' >&2\nexit 104\n", { mode: 0o755 });
  const rows: readonly (readonly [string, Partial<ContainerBoundaryOptions>])[] = [
    ["wall.captive-missing", { captivePath: path.join(base, "no-such-program") }],
    ["wall.captive", { captivePath: failing }],
  ];
  for (const [situation, options] of rows) {
    const gate = openTestGate();
    const opening = openContained("crun", { ...containerSpec(), egress: gate }, options);
    await assert.rejects(opening, { code: "WALL_UNAVAILABLE", situation });
    assert.deepEqual(gate.events, []);
  }
});

test("a container sees a file that its policy opens by name, and keeps what a shared cache holds", async () => {
  const [opened, cache] = [path.join(base, "company.pem"), path.join(base, "cache")];
  await writeFile(opened, "canary-certificate", { mode: 0o600 });
  await mkdir(cache, { mode: 0o700 });
  for (const [index, runtime] of linuxRuntimes.entries()) {
    const spec = containerSpec();
    const caches = { id: "c", names: ["npm"], places: [{ source: cache, inside: ".npm/_cacache" }] } as const;
    const sandbox = await openContained(runtime, { ...spec, paths: { ...spec.paths, allowRead: [opened] }, caches });
    const script = `cat ${opened}; cat ~/.npm/_cacache/* 2>/dev/null; echo brought > ~/.npm/_cacache/${runtime}; (echo x > ${opened}) 2>&1 | grep -c .`;
    const { output } = await runContained(sandbox, ["sh", "-c", script]);
    assert.equal(output, `canary-certificate${index === 0 ? "" : "brought\n"}1\n`);
    assert.deepEqual(sandbox.walls.caches, { id: "c", names: ["npm"] });
    await sandbox.close();
  }
  assert.equal(await readFile(path.join(cache, "runc"), "utf8"), "brought\n");
});
