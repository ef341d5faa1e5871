// The list of what a sandbox did stays bounded, counts everything, and records each thing once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type EgressEvent, egressSummarySchema } from "../contracts/egress-record.ts";
import { spokenBy, TrafficLog } from "./traffic-log.ts";

const allowed: EgressEvent = {
  verdict: "allow",
  reason: "rule",
  rule: "r",
  host: "a.example",
  port: 443,
  via: "connect",
  protocols: ["https"],
};

test("recordOnce() records an equal event once, and lets everybody wait for it", async () => {
  const log = new TrafficLog(() => 0);
  const asked: EgressEvent[] = [];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const record = (event: EgressEvent): Promise<boolean> => {
    asked.push(event);
    return promise;
  };
  const both = Promise.all([log.recordOnce(allowed, record), log.recordOnce(allowed, record)]);
  resolve(true);
  assert.deepEqual(await both, [true, true]);
  assert.equal(asked.length, 1);
  await log.recordOnce({ ...allowed, port: 80 }, record);
  assert.equal(asked.length, 2);
});

test("recordOnce() tries again what could not be recorded", async () => {
  const log = new TrafficLog(() => 0);
  const answers = [false, true];
  const record = (): Promise<boolean> => Promise.resolve(answers.shift() ?? false);
  assert.equal(await log.recordOnce(allowed, record), false);
  assert.equal(await log.recordOnce(allowed, record), true);
  assert.equal(await log.recordOnce(allowed, record), true);
});

test("recordOnce() only counts refusals beyond its list, and never lets a connection pass unrecorded", async () => {
  const log = new TrafficLog(() => 0);
  let count = 0;
  const record = (): Promise<boolean> => {
    count += 1;
    return Promise.resolve(true);
  };
  for (let port = 0; port < 1500; port += 1) await log.recordOnce({ ...allowed, verdict: "deny", port }, record);
  assert.equal(count, 1000);
  await log.recordOnce(allowed, record);
  await log.recordOnce(allowed, record);
  assert.equal(count, 1002);
});

test("summary() holds the first of everything, counts all, and ends what is open", () => {
  let ms = 0;
  const log = new TrafficLog(() => ms);
  for (let index = 0; index < 1100; index += 1) {
    const entry = log.opened({ host: `h${index}`, port: 443, via: "captured", rule: "r" });
    entry.sentBytes = 2;
    entry.receivedBytes = 3;
    entry.end("ended");
    entry.end("ended");
    log.refused({ reason: "default", host: `x${index}`, port: 80, via: "connect" });
    log.refused({ reason: "default", host: "same", port: 80, via: "connect" });
  }
  log.opened({ host: "h", port: 1, via: "socks", rule: undefined });
  ms = 7;
  const summary = egressSummarySchema().parse(log.summary());
  assert.deepEqual([summary.connections.length, summary.totalConnections], [1000, 1101]);
  assert.deepEqual([summary.refusals.length, summary.totalRefusals], [200, 2200]);
  assert.deepEqual([summary.sentBytes, summary.receivedBytes], [2200, 3300]);
  assert.equal(summary.refusals.find(({ host }) => host === "same")?.count, 1100);
});

test("summary() says which rule a connection was spoken under, and that it only looked", () => {
  const log = new TrafficLog(() => 0);
  const entry = log.opened({ host: "a", port: 443, via: "captured", rule: "first" });
  const decision = { verdict: "allow", reasonCode: "observed", ruleId: "watch", sni: "required" } as const;
  spokenBy(entry, "https", { ...decision, maxRequestBytes: undefined, maxResponseBytes: undefined, opensAtMs: undefined });
  entry.end("ended");
  log.opened({ host: "b", port: 443, via: "captured", rule: "watch", isObserved: true }).end("unreachable");
  const summary = egressSummarySchema().parse(log.summary());
  assert.deepEqual(
    summary.connections.map(({ rule, isObserved, protocol }) => [rule, isObserved, protocol]),
    [
      ["watch", true, "https"],
      ["watch", true, undefined],
    ],
  );
});

test("summary() lists what looks like a tunnel, however many connections there were before it", () => {
  let ms = 0;
  const log = new TrafficLog(() => ms);
  const begin = (host: string) => Object.assign(log.opened({ host, port: 443, via: "captured", rule: "r" }), { protocol: "https" });
  const tunnel = Object.assign(begin("tunnel"), { sentBytes: 100_000, receivedBytes: 100_000 });
  for (let index = 0; index < 1000; index += 1) begin("other").end("ended");
  ms = 600_000;
  tunnel.end("ended");
  begin("other").end("ended");
  const { connections, totalConnections } = egressSummarySchema().parse(log.summary());
  assert.deepEqual([connections.length, totalConnections], [1000, 1002]);
  assert.deepEqual(
    connections.filter(({ looksLikeTunnel }) => looksLikeTunnel).map(({ host }) => host),
    ["tunnel"],
  );
});

test("summary() cuts what somebody hostile made long", () => {
  const log = new TrafficLog(() => 0);
  log.refused({ reason: "default", host: `\ud800${"a".repeat(5000)}`, via: "dns", process: "p".repeat(5000) });
  log.opened({ host: "a".repeat(5000), port: 1, via: "socks", rule: undefined }).end("closed");
  egressSummarySchema().parse(log.summary());
});
