// `glovebox egress ls|tail|draft|explain`: what a task did with the network, the least policy for what it was refused, and what decides about a place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import type { Door } from "../../contracts/door.ts";
import { fakeRecord, fakeTask } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const refusal = (reason: string, host: string, port: number | undefined, via = "captured") => ({
  reason,
  host,
  via,
  count: 1,
  ...(port === undefined ? {} : { port }),
});
const detail = {
  connections: [
    {
      host: "a.example",
      port: 443,
      via: "captured",
      protocol: "https",
      rule: "a",
      address: "93.10.0.1",
      checked: "tls",
      end: "ended",
      sentBytes: 10,
      receivedBytes: 2048,
      durationMs: 4,
    },
  ],
  refusals: [
    refusal("default", "b.example", undefined, "dns"),
    refusal("default", "b.example", 443, "connect"),
    refusal("default", "c.example", undefined, "dns"),
    refusal("default", "d.example", 9000),
    refusal("address", "1.1.1.1", 80),
    refusal("local-name", "db.internal", 5432),
    refusal("sni-mismatch", "e.example", 443),
    { ...refusal("unsupported", "93.1.1.1", 443, "kernel"), process: "evil\u001B[2J" },
  ],
};
const records = async () => [fakeRecord(), fakeRecord({ type: "execution.egress", body: {}, detail })];

test("egress ls shows each connection and each refusal, escaped", async () => {
  const call = await callCli(["egress", "ls", fakeTask], { door: { records } });
  const lines = call.out().trimEnd().split("\n");
  assert.equal(lines.length, 9);
  assert.match(lines[0] ?? "", /a\.example port 443 as https.*2 KiB received, ended/u);
  assert.match(call.out(), /93\.1\.1\.1 port 443: unsupported/u);
  assert.doesNotMatch(call.out().replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  assert.deepEqual(JSON.parse((await callCli(["egress", "ls", fakeTask, "--json"], { door: { records } })).out()), detail);
});

test("egress ls calls nothing connected that was allowed and not reached", async () => {
  const connections = ["unresolvable", "unreachable", "proxy"].map((end) => ({ ...detail.connections[0], end }));
  const failed = async () => [fakeRecord({ type: "execution.egress", body: {}, detail: { ...detail, connections } })];
  const told = (await callCli(["egress", "ls", fakeTask], { door: { records: failed } })).out().split("\n").slice(0, 3);
  for (const [index, { end }] of connections.entries()) {
    assert.doesNotMatch(told[index] ?? "connected", /connected/u);
    assert.ok(told[index]?.includes(`a.example port 443: ${end} (rule a)`) === true, told.join("\n"));
  }
});

test("egress draft writes one rule for each place that a rule would allow, and nothing for the rest", async () => {
  const call = await callCli(["egress", "draft", fakeTask], { door: { records } });
  assert.equal(
    call.out(),
    `apiVersion: glovebox/v1
egress:
  - {id: 1.1.1.1-80, cidr: ["1.1.1.1"], protocols: [http], verdict: allow}
  - {id: b.example-443, hosts: [b.example], verdict: allow}
  - {id: c.example-443, hosts: [c.example], verdict: allow}
  - {id: d.example-9000, hosts: [d.example], ports: [9000], protocols: [tcp], verdict: allow}
allowLocal: ["db.internal:5432"]
`,
  );
});

test("egress ls, tail and draft name what a rule denies and only looked at", async () => {
  const watched = { ...detail.connections[0], rule: "w", isObserved: true };
  const connections = [
    watched,
    { ...watched, host: "h.example", port: 8080, protocol: "http" },
    { ...watched, host: "93.1.1.1", port: 22, protocol: "ssh" },
  ];
  const event = { verdict: "allow", reason: "observed", rule: "w", host: "a.example", port: 443, via: "captured", protocols: ["https"] };
  const door = {
    records: async () => [
      fakeRecord({ type: "egress.decision", body: {}, detail: event }),
      fakeRecord({ type: "execution.egress", body: {}, detail: { connections, refusals: [] } }),
    ],
  };
  assert.match(
    (await callCli(["egress", "ls", fakeTask], { door })).out(),
    /^watched, although rule w denies it: a\.example port 443 as https/u,
  );
  assert.match(
    (await callCli(["egress", "tail", fakeTask], { door })).out(),
    /let through a\.example port 443, which rule w denies: observed/u,
  );
  assert.equal(
    (await callCli(["egress", "draft", fakeTask], { door })).out(),
    `apiVersion: glovebox/v1
egress:
  - {id: 93.1.1.1-22, cidr: ["93.1.1.1"], protocols: [ssh], verdict: allow}
  - {id: a.example-443, hosts: [a.example], verdict: allow}
  - {id: h.example-8080, hosts: [h.example], ports: [8080], protocols: [http], verdict: allow}
`,
  );
});

test("egress ls and draft say when there is nothing, and when there is no such task", async () => {
  const quiet = { door: { records: async () => [fakeRecord()] } };
  for (const word of ["ls", "draft"]) {
    const call = await callCli(["egress", word, fakeTask], quiet);
    assert.deepEqual([call.out(), call.code], ["", 0]);
    assert.notEqual(call.err(), "");
    assert.equal((await callCli(["egress", word, fakeTask], { door: { records: async () => [] } })).code, 2);
  }
});

test("egress explain asks about the canonical place, port 443 unless it is said, and refuses what is none", async () => {
  const asked: unknown[] = [];
  const explainConnection: Door["explainConnection"] = async (_selection, place) => {
    asked.push(place);
    return {
      verdict: "deny",
      lines: [{ key: "policy.sheet.connection.no-rule", values: { ...place, protocols: "https", change: "x", rule: "" } }],
    };
  };
  const call = await callCli(["egress", "explain", "API.Example.COM"], { door: { explainConnection } });
  assert.match(call.out(), /api\.example\.com port 443/u);
  const json = await callCli(["egress", "explain", "127.1:80", "--json"], { door: { explainConnection } });
  assert.equal(z.looseObject({ verdict: z.string() }).parse(JSON.parse(json.out())).verdict, "deny");
  assert.deepEqual(asked, [
    { host: "api.example.com", port: 443 },
    { host: "127.0.0.1", port: 80 },
  ]);
  assert.equal((await callCli(["egress", "explain", "a..b"], { door: { explainConnection } })).code, 2);
});

const decision = (seq: number, host: string, verdict: string) =>
  fakeRecord({
    seq,
    type: "egress.decision",
    detail: { verdict, reason: "rule", rule: "r", host, port: 443, via: "captured", protocols: ["https"] },
  });

test("egress tail shows each decision once, escaped, and with --follow those to come until the task is over", async () => {
  const stages = [
    [decision(1, "a.example", "allow")],
    [decision(1, "a.example", "allow"), decision(2, "b\u001B[2J", "deny"), fakeRecord({ seq: 3, type: "execution.closed" })],
  ];
  let looks = 0;
  const growing: Door["records"] = async () => stages[Math.min(looks++, 1)] ?? [];
  const call = await callCli(["egress", "tail", "--follow", fakeTask], { door: { records: growing } });
  const lines = call.out().trimEnd().split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /allowed a\.example port 443/u);
  assert.match(lines[1] ?? "", /refused b\\x1b/u);
  const json = await callCli(["egress", "tail", fakeTask, "--json"], { door: { records: growing } });
  const { decisions } = z.strictObject({ decisions: z.array(z.looseObject({ seq: z.int() })) }).parse(JSON.parse(json.out()));
  assert.deepEqual(
    decisions.map(({ seq }) => seq),
    [1, 2],
  );
  assert.equal((await callCli(["egress", "tail", "--follow", "--json", fakeTask], {})).code, 2);
  assert.equal((await callCli(["egress", "tail", fakeTask], { door: { records: async () => [] } })).code, 2);
});
