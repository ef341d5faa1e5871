// Attacks on the way out, each shown to get a packet out of a machine without a sandbox, and then not one out of a sandbox that may reach an allowed host.
// INVARIANT I-06
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { tablePolicy } from "../fixtures/internet/egress-cases.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;
let program: string;
let tokens = 0;

before(async () => {
  internet = await openInternet(resources);
  gloved = await makeGloved(internet, tablePolicy);
  program = path.join(gloved.project, "attacks.py");
  await copyFile(path.join(import.meta.dirname, "../fixtures/internet/attacks.py"), program);
});
after(() => resources.disposeAsync());

const controls = ["\u001b", "\u0007"];

interface Attack {
  readonly name: string;
  readonly what: string;
  /** Only root can do it outside; elsewhere the control is left to root's run. */
  readonly needsRoot?: true;
}

const attacks: readonly Attack[] = [
  { name: "udp", what: "sends datagrams to any port, over IPv4 and IPv6" },
  { name: "raw", what: "sends raw ICMP and unknown protocols", needsRoot: true },
  { name: "packet", what: "writes frames onto its interface", needsRoot: true },
  { name: "multipath", what: "connects by MPTCP" },
  { name: "fast_open", what: "sends data in the first packet" },
  { name: "names", what: "puts a secret into names, and asks other resolvers by UDP and TCP" },
  { name: "mark", what: "marks its packets, binds to the interface, or gives a route" },
];

test("with no rule at all nothing leaves, whatever is allowed elsewhere", async () => {
  const closed = await makeGloved(internet, "egress: []\n", "closed");
  const capture = await internet.capture();
  const get = ["/usr/bin/curl", "-sS", "--max-time", "15"];
  for (const more of [[], ["--proxy", "http://198.18.0.1:3128"], ["--socks5-hostname", "198.18.0.1:1080"]])
    assert.notEqual((await closed.run([...get, ...more, "http://api.example.com/"])).code, 0);
  assert.deepEqual(await capture.stop(), []);
});

for (const { name, what, needsRoot } of attacks)
  test(`an attacker that ${what} gets no packet out`, async () => {
    const token = `secret${process.pid}x${tokens++}`;
    if (needsRoot === undefined || process.getuid?.() === 0) {
      const control = await internet.capture();
      await internet.onMachine(["/usr/bin/python3", program, name, token]);
      assert.notDeepEqual(await control.stop(), [], "outside nothing left either: this attack proves nothing");
    }
    const earlier = internet.arrivals.length;
    const capture = await internet.capture();
    const script = `/usr/bin/python3 ${program} ${name} ${token}; curl -sS --max-time 20 --noproxy "*" http://api.example.com/${token}-after`;
    const { code, stdout, stderr } = await gloved.run(["/bin/sh", "-c", script]);
    assert.equal(code, 0, stdout + stderr);
    const packets = await capture.stop();
    const expected = new Set(["udp 93.53.0.1 53", "tcp 93.10.0.1 80"]);
    assert.deepEqual(
      packets.filter(({ protocol, address, port }) => !expected.has(`${protocol} ${address} ${port}`)),
      [],
    );
    const told = internet.arrivals.slice(earlier).map((arrival) => JSON.stringify(arrival));
    assert.deepEqual(
      told.filter((line) => line.includes(token) && !line.includes(`${token}-after`)),
      [],
    );
    assert.ok(told.some((line) => line.includes(`/${token}-after`)));
  });

test("the gate listens on nothing that others on the machine can reach", async () => {
  const listening = async (): Promise<string> => (await internet.onMachine(["/usr/bin/ss", "-Hltun"])).stdout;
  const earlier = await listening();
  const child = gloved.start(["/bin/sh", "-c", "echo open; read -r _"], { stdin: "pipe" });
  const ended = once(child, "close");
  assert.ok(child.stdout);
  await once(child.stdout, "data", { signal: AbortSignal.timeout(120_000) });
  assert.equal(await listening(), earlier);
  const { code } = await internet.onMachine(["/usr/bin/curl", "-sS", "--max-time", "5", "http://198.18.0.1:3128/"]);
  assert.notEqual(code, 0);
  child.stdin?.end("\n");
  await ended;
});

test("names with escapes are shown as text, to the person and in the record", async () => {
  const send = `printf 'CONNECT \\033[31mred\\033]0;title\\007.evil.test:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' > /dev/tcp/198.18.0.1/3128`;
  const ask = `exec 3<>/dev/tcp/198.18.0.1/3128; printf 'CONNECT \\033[31mred.evil.test:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3; cat <&3 > /dev/null`;
  const { stderr } = await internet.onMachine(
    gloved
      .words(["/bin/bash", "-c", `${send}; ${ask}; true`])
      .filter((word) => word !== "--quiet")
      .toSpliced(3, 0, "--sheet"),
    { environment: gloved.environment },
  );
  assert.ok(!controls.some((character) => stderr.includes(character)));
  const ledger = await gloved.glovebox("ledger", "ls", "--lang", "en");
  assert.equal(ledger.code, 0, ledger.stderr);
  assert.ok(!controls.some((character) => (ledger.stdout + ledger.stderr).includes(character)));
});
