// The sheet of a past task, from its records alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredRecord } from "../contracts/ledger.ts";
import { taskIdSchema } from "../contracts/ids.ts";
import { taskSheetFromRecords } from "./task-sheet.ts";

const task = taskIdSchema.parse("t-0193f0c2a1b2-4d5e6f708192");
const commitment = `hmac:${"ab".repeat(32)}`;

function record(seq: number, type: StoredRecord["type"], parts: Pick<StoredRecord, "action" | "body" | "detail">): StoredRecord {
  return { seq, ts: "2025-11-29T17:23:05.123Z", type, task, policy: undefined, ...parts };
}

const decision = (kind: string) => ({
  kind,
  verdict: "allow",
  reasonCode: "default",
  boundary: "process",
  request: commitment,
  origins: ["built-in"],
});

test("taskSheetFromRecords() tells the commands of a sandbox with the outcome of each, and of one that has none", () => {
  const sandbox = "s-0193f0c2a1b2-4d5e6f708192";
  const refused = { sandbox, total: 2, rules: [], calls: commitment };
  const sheet = taskSheetFromRecords(task, [
    record(0, "policy.decision", { action: "a-0", body: decision("sandbox"), detail: { projectDirectory: "/p", retentionDays: 30 } }),
    record(1, "policy.decision", { action: "a-1", body: decision("command"), detail: { argv: ["npm", "test"], cwd: "/p" } }),
    record(2, "execution.refused-calls", { action: "a-1", body: refused, detail: { calls: [] } }),
    record(3, "result.returned", { action: "a-1", body: { outcome: "failed", returnedBytes: 3 }, detail: {} }),
    record(4, "policy.decision", { action: "a-2", body: decision("command"), detail: { argv: ["sleep", "9"], cwd: "/p" } }),
    record(5, "execution.refused-calls", { action: "a-2", body: refused, detail: { calls: [] } }),
  ]);
  const happened = sheet.answers.find(({ question }) => question === "happened")?.lines ?? [];
  assert.deepEqual(happened.slice(0, 3), [
    { key: "task.happened.sandbox", values: { count: 2 } },
    { key: "task.happened.sandbox-command", values: { command: "npm test", outcome: "failed" } },
    { key: "task.happened.sandbox-command", values: { command: "sleep 9", outcome: "open" } },
  ]);
  assert.deepEqual(happened.at(-1), { key: "task.happened.refused-more", values: { count: 4 } });
  const kept = sheet.answers.find(({ question }) => question === "kept")?.lines[0];
  assert.deepEqual(kept, { key: "task.kept.record", values: { firstSeq: 0, lastSeq: 5, until: "2025-12-29" } });
});
