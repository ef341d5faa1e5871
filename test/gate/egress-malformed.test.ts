// What is no request that has one reading is refused by the gate, and no server outside ever sees it. INVARIANT I-06
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { tablePolicy } from "../fixtures/internet/egress-cases.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { malformedCases } from "../fixtures/internet/malformed-cases.ts";
import { type Probe, tryAll } from "../fixtures/internet/probes.ts";

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;

before(async () => {
  internet = await openInternet(resources);
  gloved = await makeGloved(internet, tablePolicy);
});
after(() => resources.disposeAsync());

test("each malformed request is refused, and none arrives outside", async () => {
  const probes = malformedCases.map(({ parts, socks, shut }, index): Probe => {
    const token = `malformed-${index}`;
    const filled = parts.map((part) => part.replaceAll("TOKEN", token));
    return { token, via: "bytes", parts: filled, ...(socks === undefined ? {} : { socks }), ...(shut === undefined ? {} : { shut }) };
  });
  const capture = await internet.capture();
  const answers = await tryAll(internet, gloved, probes);
  const complaints = malformedCases.flatMap(({ row, what, said, arrives }, index) => {
    const answer = answers.get(`malformed-${index}`);
    const isRight = answer !== undefined && said.test(answer.said) && answer.arrived === (arrives ?? false) && answer.seconds < 45;
    return isRight ? [] : [`${row} ${what}: ${JSON.stringify(answer)}`];
  });
  assert.deepEqual(complaints, []);
  // The control alone asked for a name and connected.
  const reached = new Set(
    (await capture.stop()).filter(({ protocol }) => protocol === "tcp").map(({ address, port }) => `${address} ${port}`),
  );
  assert.deepEqual([...reached], ["93.10.0.1 80"]);
});

interface TlsRow {
  readonly row: string;
  readonly what: string;
  readonly probe: Partial<Probe>;
  readonly said: RegExp;
  readonly arrives: boolean;
}

const ended = /^(?:200 )?(?:closed|raw closed|SSL\w*Error|ConnectionResetError|BrokenPipeError|EOFError|OSError|nothing|40\d .*|502 .*)/u;
const tlsRows: readonly TlsRow[] = [
  { row: "control", what: "the asked name", probe: {}, said: /^200( 200)?$/u, arrives: true },
  { row: "E43", what: "no server name", probe: { sni: null }, said: ended, arrives: false },
  { row: "71", what: "another server name", probe: { sni: "evil.test" }, said: ended, arrives: false },
  { row: "71", what: "another allowed server name", probe: { sni: "only4.pkg.example.org" }, said: ended, arrives: false },
  { row: "71", what: "no TLS at all", probe: { raw: "GET /x HTTP/1.1\r\nHost: api.example.com\r\n\r\n" }, said: ended, arrives: false },
  { row: "71", what: "SSH on the port of TLS", probe: { raw: "SSH-2.0-x\r\n" }, said: ended, arrives: false },
  { row: "E44", what: "another Host inside, which nobody sees", probe: { header: "evil.test" }, said: /^200( 200)?$/u, arrives: true },
];

test("what is spoken in a tunnel is TLS that names the asked host, or it ends before a byte leaves", async () => {
  const cases = tlsRows.flatMap((row) => (["connect", "socks", "capture"] as const).map((via) => ({ ...row, via })));
  const probes = cases.map(({ via, probe }, index): Probe => ({ token: `tls-${index}`, via, host: "api.example.com", ...probe }));
  const before = internet.arrivals.length;
  const answers = await tryAll(internet, gloved, probes);
  const complaints = cases.flatMap(({ row, what, via, said, arrives }, index) => {
    const answer = answers.get(`tls-${index}`);
    const isRight = answer !== undefined && said.test(answer.said) && answer.arrived === arrives;
    return isRight ? [] : [`${row} ${what} by ${via}: ${JSON.stringify(answer)}`];
  });
  assert.deepEqual(complaints, []);
  const names = internet.arrivals.slice(before).flatMap((arrival) => (arrival.kind === "http" ? [arrival.sni ?? "none"] : []));
  assert.deepEqual([...new Set(names)], ["api.example.com"]);
});
