// Every refusal that the gate can give has a sentence in both languages, with the change that would allow it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EgressRefusal, EgressSummary } from "../contracts/egress-record.ts";
import { noTraffic } from "../contracts/egress-record.ts";
import { refusalReasons } from "../egress/egress.ts";
import { createTexts, languages } from "../texts/texts.ts";
import { refusedConnections, trafficLines } from "./connection-lines.ts";

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
});
