// A browser behind the gate: Chromium with its own sandbox reaches allowed names by proxy and without, and QUIC, which no gate carries, gets no packet out.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { resolvers } from "../fixtures/internet/places.ts";

const rules = `
egress:
  - {id: api, hosts: [api.example.com], verdict: allow}
`;
const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;

before(async () => {
  internet = await openInternet(resources);
  gloved = await makeGloved(internet, rules);
  const own = path.join(internet.home, ".config/glovebox");
  await mkdir(own, { recursive: true });
  // No other place may say so: it holds for every run.
  await writeFile(path.join(own, "policy.yaml"), "apiVersion: glovebox/v1\nnestedNamespaces: true\n", { mode: 0o600 });
});
after(() => resources.disposeAsync());

/** Prints the page as text. The test authority is nobody's; whom a browser trusts is not the question here. */
const quiet = "--disable-background-networking --disable-component-update --disable-sync";
const chromium = `chromium --headless --disable-gpu --no-first-run ${quiet} --ignore-certificate-errors --user-data-dir="$(mktemp -d)" --dump-dom`;
/** On a busy machine a browser sometimes gives up before it has asked for anything; one that was refused says nothing three times. */
const shown = 'shown() { for n in 1 2 3; do page=$("$@" 2>/dev/null); case $page in *reached*) echo "$page"; return;; esac; done; }';
const quic = "--timeout=5000 --no-proxy-server --enable-quic --origin-to-force-quic-on=api.example.com:443";
const arrived = (token: string): boolean => internet.arrivals.some((arrival) => arrival.kind === "http" && arrival.url === `/${token}`);

test("outside any sandbox a browser that is told to use QUIC sends it", async () => {
  const capture = await internet.capture();
  const script = `${chromium} --no-sandbox ${quic} https://api.example.com/outside`;
  await internet.onMachine(["/bin/sh", "-c", script], { environment: { HOME: internet.directory }, timeoutMs: 120_000 });
  const packets = await capture.stop();
  assert.ok(packets.some(({ protocol, port }) => protocol === "udp" && port === 443));
});

test("inside it reaches what is allowed by proxy and without, nothing else, and its QUIC is refused and told", async () => {
  const capture = await internet.capture();
  const script = [
    `shown ${chromium} https://api.example.com/by-proxy`,
    `shown ${chromium} --no-proxy-server https://api.example.com/captured`,
    `${chromium} --no-proxy-server https://evil.test/captured-evil 2>/dev/null`,
    `${chromium} ${quic} https://api.example.com/by-quic 2>/dev/null`,
  ];
  const { stdout, stderr } = await gloved.run(["/bin/sh", "-c", [shown, ...script].join("\n")]);
  assert.ok(arrived("by-proxy") && arrived("captured"), stdout + stderr);
  assert.equal(stdout.match(/"reached":"api\.example\.com"/gu)?.length, 2, stdout);
  assert.ok(!arrived("captured-evil") && !arrived("by-quic"));
  const elsewhere = (await capture.stop()).filter(
    ({ protocol, address, port }) => !(protocol === "tcp" && address === "93.10.0.1" && port === 443) && address !== resolvers.honest,
  );
  assert.deepEqual(elsewhere, []);
  const tasks = [...(await gloved.glovebox("ledger", "ls", "--json")).stdout.matchAll(/"task": "(t-[\da-f-]+)"/gu)];
  const told = await gloved.glovebox("egress", "ls", tasks.at(-1)?.[1] ?? "", "--lang", "en");
  assert.match(told.stdout, /^refused api\.example\.com port 443: unsupported /mu, told.stderr);
});
