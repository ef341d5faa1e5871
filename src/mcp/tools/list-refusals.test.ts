// list_refusals: from records to what an agent is told.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredRecord } from "../../contracts/ledger.ts";
import { taskIdSchema } from "../../contracts/ids.ts";
import { StreamClient } from "../testing/stream-client.ts";

function record(changes: Partial<StoredRecord>): StoredRecord {
  const task = taskIdSchema.parse("t-0193f0c2a1b2-4d5e6f708192");
  return {
    seq: 1,
    ts: "2026-01-01T00:00:00.000Z",
    type: "policy.decision",
    task,
    action: "a",
    policy: "",
    body: {},
    detail: {},
    ...changes,
  };
}

const decision = (action: string, verdict: string, argv: readonly string[]): StoredRecord =>
  record({ action, body: { verdict }, detail: { argv, rule: "no-push", reason: "not today" } });
const result = (action: string, outcome: string): StoredRecord => record({ type: "result.returned", action, body: { outcome } });
const egress = { reason: "default", host: "example.org", port: 443, via: "connect", protocols: [] };

async function refusalsOf(records: readonly StoredRecord[], input = {}, returnedBytes = 100_000) {
  await using client = new StreamClient({ records, returnedBytes });
  await client.greet();
  await client.call("run_command", { argv: ["true"] });
  return (await client.call("list_refusals", input)).document;
}

const at = "2026-01-01T00:00:00.000Z";

test("list_refusals tells of commands that a rule denied or nobody could be asked about, and of no other", async () => {
  const { refusals } = await refusalsOf([
    result("a1", "denied"),
    decision("a1", "deny", ["git", "push"]),
    result("a2", "denied"),
    decision("a2", "ask", ["rm"]),
    result("a3", "ok"),
    decision("a3", "allow", ["ls"]),
    result("a4", "ok"),
    decision("a4", "ask", ["granted"]),
  ]);
  const about = { at, kind: "command", rule: "no-push", reason: "not today" };
  assert.deepEqual(refusals, [
    { ...about, verdict: "deny", argv: ["git", "push"] },
    { ...about, verdict: "ask", argv: ["rm"] },
  ]);
});

test("list_refusals tells of connections with the line that would allow them, and of calls that were refused", async () => {
  const { refusals } = await refusalsOf([
    record({ type: "egress.decision", detail: { ...egress, verdict: "deny" } }),
    record({ type: "egress.decision", detail: { ...egress, verdict: "deny", reason: "address" } }),
    record({ type: "egress.decision", detail: { ...egress, verdict: "allow" } }),
    record({ type: "egress.decision", detail: undefined }),
    record({
      type: "execution.refused-calls",
      detail: { calls: [{ call: "mkdir", path: "/p/.git", rule: "listedName", errno: "EACCES" }] },
    }),
  ]);
  const connection = { at, kind: "connection", host: "example.org", port: 443 };
  assert.deepEqual(refusals, [
    { ...connection, reason: "default", wouldAllow: "egress: [{id: example.org-443, hosts: [example.org], verdict: allow}]" },
    { ...connection, reason: "address" },
    { at, kind: "call", call: "mkdir", path: "/p/.git", rule: "listedName", errno: "EACCES" },
  ]);
});

test("list_refusals stays within its bounds, and says when there is more", async () => {
  const many = Array.from({ length: 30 }, (_, index) => [result(`a${index}`, "denied"), decision(`a${index}`, "deny", ["x".repeat(5000)])]);
  const counted = async (input: object, bytes: number) => {
    const { refusals, isTruncated } = await refusalsOf(many.flat(), input, bytes);
    return [Array.isArray(refusals) ? refusals.length : undefined, isTruncated];
  };
  assert.deepEqual(await counted({ limit: 3 }, 100_000), [3, true]);
  assert.deepEqual(await counted({ limit: 200 }, 100_000), [30, false]);
  const [kept, isTruncated] = await counted({ limit: 200 }, 1000);
  assert.ok(typeof kept === "number" && kept > 0 && kept < 10 && isTruncated === true);
});
