// The table of egress cases, end to end: inside a sandbox each place is tried four ways; outside, servers and a capture say what was reached. INVARIANT I-06
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type HostCase, hostCases, tablePolicy, type Via, vias } from "../fixtures/internet/egress-cases.ts";
import { type Gloved, type LoopbackCanary, makeGloved, startLoopbackCanary } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { hosts, lyingZone, resolvers, wildcards } from "../fixtures/internet/places.ts";
import { type Probe, type Said, tryAll, tryOutside } from "../fixtures/internet/probes.ts";

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;
let canary: LoopbackCanary;

before(async () => {
  internet = await openInternet(resources);
  gloved = await makeGloved(internet, tablePolicy);
  canary = await startLoopbackCanary(internet);
});
after(() => resources.disposeAsync());

interface Row {
  readonly about: HostCase;
  readonly probe: Probe;
}

function rowOf(about: HostCase, via: Via, index: number): Row {
  const { row, host, port = via === "http" ? 80 : 443 } = about;
  return { about, probe: { token: `${row}-${index}-${via}`, via, host, port, tls: port === 443 } };
}

const rows = hostCases.flatMap((about, index) => (about.vias ?? vias).map((via) => rowOf(about, via, index)));

/** What is wrong about one row; undefined when nothing is. */
function complaintAbout({ about, probe }: Row, said: Said | undefined): string | undefined {
  const what = `${about.row} ${probe.via} ${about.host}:${probe.port ?? ""}`;
  if (said === undefined) return `${what}: no word`;
  const isRight = about.verdict === "allow" ? said.arrived && /^200( 200)?$/u.test(said.said) : !said.arrived && !said.said.endsWith("200");
  if (!isRight) return `${what}: should be ${about.verdict}, was told "${said.said}", ${said.arrived ? "arrived" : "did not arrive"}`;
  if (about.verdict === "deny" && said.seconds > 15) return `${what}: refused only after ${said.seconds} s`;
  const isTold =
    about.verdict === "allow" || (probe.via !== "connect" && probe.via !== "http") || (about.status ?? /^403/u).test(said.said);
  return isTold ? undefined : `${what}: was told "${said.said}"`;
}

/** Where the gate may go while the table is tried: what allowed names lead to, and the resolver. */
const mayBeReached = new Set<string>([
  resolvers.honest,
  "93.10.9.9",
  ...Object.entries({ ...hosts, ...wildcards })
    .filter(([name]) => name === "api.example.com" || name.endsWith("pkg.example.org"))
    .flatMap(([, addresses]) => addresses)
    .filter((address) => /^(?:93\.10\.|2a00:10:)/u.test(address)),
]);

test("outside any sandbox every kind of place is reached: what follows proves something", async () => {
  const places = [
    "169.254.169.254",
    "0xa9fea9fe",
    "[fd12::1]",
    "[64:ff9b::a9fe:a9fe]",
    "10.96.0.1",
    "mixed.pkg.example.org",
    "evil.test",
    "93.10.0.1",
  ];
  const said = await tryOutside(
    internet,
    places.map((host, index) => ({ token: `outside-${index}`, via: "capture", host })),
  );
  for (const [index, host] of places.entries()) assert.equal(said.get(`outside-${index}`)?.arrived, true, host);
  const own = ["127.0.0.1", "0x7f.1", "loop.pkg.example.org", "[::1]", "0.0.0.0"];
  const earlier = await canary.reached();
  await tryOutside(
    internet,
    own.map((host, index) => ({ token: `own-${index}`, via: "capture", host, port: 80 })),
  );
  assert.equal((await canary.reached()).length - earlier.length, own.length);
});

test("each row gets its verdict by CONNECT, plain HTTP, SOCKS5 and capture, and no packet goes anywhere else", async () => {
  const reachedBefore = await canary.reached();
  const capture = await internet.capture();
  const said = await tryAll(
    internet,
    gloved,
    rows.map(({ probe }) => probe),
  );
  const packets = await capture.stop();
  const complaints = rows.map((row) => complaintAbout(row, said.get(row.probe.token))).filter((each) => each !== undefined);
  assert.deepEqual(complaints, []);
  assert.deepEqual(await canary.reached(), reachedBefore);
  const elsewhere = packets.filter(({ address }) => !mayBeReached.has(address));
  assert.deepEqual(elsewhere, []);
  assert.ok(packets.some(({ address, port }) => address === "93.10.0.1" && port === 443));
});

test("a name that leads outside when asked first and inward afterwards is asked once, and reached where it led first", async () => {
  const reachedBefore = await canary.reached();
  const probes = vias.flatMap((via): readonly Probe[] => {
    const host = `rebind.${via}.${lyingZone}`;
    const port = via === "http" ? 80 : 443;
    return [{ token: `E26-${via}`, via, host, port }];
  });
  const first = await tryAll(internet, gloved, probes);
  for (const { token } of probes) assert.equal(first.get(token)?.arrived, true, `${token}: ${first.get(token)?.said}`);
  const again = await tryAll(
    internet,
    gloved,
    probes.map((probe) => ({ ...probe, token: `${probe.token}-again` })),
  );
  for (const [token, said] of again) assert.equal(said.arrived, false, `${token}: ${said.said}`);
  assert.deepEqual(await canary.reached(), reachedBefore);
});
