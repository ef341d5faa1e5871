// Every refusal that the gate can give has a sentence in both languages, with the change that would allow it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EgressRefusal, EgressSummary } from "../contracts/egress-record.ts";
import { noTraffic, unreachedEnds } from "../contracts/egress-record.ts";
import { refusalReasons } from "../egress/egress.ts";
import { loadPolicy } from "../policy/policy.ts";
import { createTexts, languages } from "../texts/texts.ts";
import { connectionNotes, connectTargets, refusedConnections, trafficLines } from "./connection-lines.ts";

const refusal = (changes: Partial<EgressRefusal> = {}): EgressRefusal => ({
  reason: "default",
  host: "a.example",
  port: 443,
  via: "connect",
  count: 1,
  ...changes,
});
const traffic = (...refusals: readonly EgressRefusal[]): EgressSummary => ({
  ...noTraffic,
  refusals: [...refusals],
  totalRefusals: refusals.length,
});

test("refusedConnections() has words for every reason, in every language", () => {
  for (const language of languages) {
    const text = createTexts(language, (value) => value, { onMissing: "throw" });
    const lines = refusalReasons.map((reason) =>
      refusedConnections(traffic(refusal({ reason, rule: "r1", process: "curl" })))
        .map(text)
        .join(),
    );
    assert.equal(new Set(lines).size, refusalReasons.length);
    for (const line of lines) assert.ok(line.includes("a.example") && line.includes("curl"), line);
  }
});

test("refusedConnections() names the one line that would allow a name, a port, an address", () => {
  const text = createTexts("en", (value) => value, { onMissing: "throw" });
  const line = (changes: Partial<EgressRefusal>): string =>
    refusedConnections(traffic(refusal(changes)))
      .map(text)
      .join();
  assert.ok(line({}).includes("egress: [{id: a.example-443, hosts: [a.example], verdict: allow}]"));
  assert.ok(line({ port: 80 }).includes("hosts: [a.example], protocols: [http], verdict: allow"));
  assert.ok(line({ port: 9000 }).includes("hosts: [a.example], ports: [9000], protocols: [tcp], verdict: allow"));
  assert.ok(line({ host: "1.1.1.1", reason: "address" }).includes('cidr: ["1.1.1.1"]'));
  assert.ok(line({ host: "db.internal", port: 5432, reason: "local-name" }).includes("allowLocal: [db.internal:5432]"));
  const { port: _port, ...asked } = refusal({ via: "dns" });
  assert.ok(refusedConnections(traffic(asked)).map(text).join().startsWith("a.example: no rule allows the name"));
});

test("refusedConnections() shows five and counts the rest, and a name once that was looked up before it was asked for", () => {
  const many = Array.from({ length: 9 }, (_, index) => refusal({ host: `h${index}.example` }));
  assert.deepEqual(refusedConnections(traffic(...many)).at(-1), { key: "task.refused-connection.more", values: { count: 4 } });
  assert.equal(refusedConnections(traffic(refusal({ via: "dns" }), refusal({ via: "captured" }))).length, 1);
  assert.deepEqual(refusedConnections("lost"), []);
  assert.deepEqual(refusedConnections(undefined), []);
});

test("refusedConnections() says when a rule holds again", () => {
  const text = createTexts("en", (value) => value, { onMissing: "throw" });
  const line = (changes: Partial<EgressRefusal>): string =>
    refusedConnections(traffic(refusal({ reason: "window", rule: "day", ...changes })))
      .map(text)
      .join();
  assert.match(line({ opensAt: "2026-06-02T07:00:00.000Z" }), /rule day does not hold at this time .*again from 2026-06-02T07:00:00/u);
  assert.match(line({}), /the window of rule day is closed/u);
});

test("connectTargets() names the hours of a rule, and what a rule only looks at until when", () => {
  const body = `apiVersion: glovebox/v1
acceptRisk: [{what: egress.observe, why: learn, owner: me, until: "2026-06-30"}]
egress:
  - {id: day, hosts: [a.example.com], verdict: allow, window: {hours: "09:00-18:00", days: [mon, tue, wed, thu, fri], zone: Europe/Berlin}}
  - {id: watch, hosts: ["**.com"], verdict: deny, mode: observe}
`;
  const source = { origin: "user", label: "x", format: "yaml", text: body } as const;
  const facts = { home: "/h", projectDirectory: "/p", nowMs: Date.parse("2026-06-01T00:00:00Z"), isPublicSuffix: () => false };
  assert.deepEqual(connectTargets(loadPolicy([source], facts)), [
    "a.example.com port 443 https (rule day, mon-fri 09:00-18:00 Europe/Berlin)",
    "**.com port 443 https (rule watch), which denies it and only looks before 2026-07-01T00:00:00.000Z (mode: observe, acceptRisk)",
  ]);
});

test("trafficLines() tells what was sent and received, and that a gate was lost", () => {
  const text = createTexts("en", (value) => value, { onMissing: "throw" });
  const connection = {
    host: "a.example",
    port: 443,
    via: "captured",
    protocol: "https",
    checked: "tls",
    end: "ended",
    sentBytes: 10,
    receivedBytes: 20,
    durationMs: 3,
  } as const;
  const lines = trafficLines({ ...noTraffic, connections: [connection], totalConnections: 1, sentBytes: 10, receivedBytes: 20 }).map(text);
  assert.equal(lines.length, 2);
  assert.ok(lines[1]?.includes("a.example port 443 as https"));
  assert.equal(trafficLines("lost").map(text).length, 1);
  const watched = { ...connection, rule: "watch", isObserved: true } as const;
  const seen = { ...noTraffic, connections: [watched, watched, { ...watched, port: 8080, protocol: "http" }], totalConnections: 3 };
  const observed = trafficLines(seen).map(text).slice(-2);
  assert.match(
    observed[0] ?? "",
    /port 443 as https was let through 2 times, although rule watch denies it.*hosts: \[a\.example\], verdict: allow/u,
  );
  assert.match(observed[1] ?? "", /ports: \[8080\], protocols: \[http\], verdict: allow/u);
  assert.match(connectionNotes("t-1", seen).map(text).join(), /^3 connections .*glovebox egress draft t-1$/u);
  assert.deepEqual(connectionNotes("t-1", noTraffic), []);
  const long = { ...noTraffic, connections: [{ ...connection, rule: "api", durationMs: 400_000, looksLikeTunnel: true as const }] };
  const told = connectionNotes("t-1", long).map(text);
  assert.match(told.join(), /^a\.example port 443 as https was open for 6 minutes .*rule api/u);
  assert.deepEqual(trafficLines(long).map(text).slice(-1), told);
});

test("what was allowed and not reached is told at the end of a run, each place once, and nobody reads that it was connected", () => {
  const failed = { host: "a.example", port: 443, via: "connect", checked: "none", sentBytes: 0, receivedBytes: 0, durationMs: 3 } as const;
  const said = new Set<string>();
  for (const language of languages) {
    const text = createTexts(language, (value) => value, { onMissing: "throw" });
    for (const end of unreachedEnds) {
      const seen = { ...noTraffic, connections: [failed, failed].map((one) => ({ ...one, end })), totalConnections: 2 };
      const told = connectionNotes("t-1", seen).map(text);
      assert.ok(told.length === 1 && told[0]?.includes("a.example") && told[0].includes("443") && told[0].includes("2"), told.join());
      assert.deepEqual(trafficLines(seen).map(text).slice(1), told);
      said.add(told.join());
    }
  }
  assert.equal(said.size, 2 * unreachedEnds.size);
});
