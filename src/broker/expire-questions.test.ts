// Questions of dead brokers: each is recorded once, and only what was asked and not answered.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { taskIdSchema } from "../contracts/ids.ts";
import type { NewRecord, RecordType } from "../contracts/ledger-record.ts";
import { processStartTime } from "../kit/process-identity.ts";
import { expireQuestions } from "./expire-questions.ts";

const id = (letter: string, number: number): string => `${letter}-000000000001-${number.toString(16).padStart(12, "0")}`;

test("expireQuestions() records what was asked and not answered, once, and leaves the living alone", async (t) => {
  const state = await mkdtemp(path.join(os.tmpdir(), "glovebox-expire-"));
  t.after(() => rm(state, { recursive: true }));
  const layout = { state, approvals: state };
  const claim = (number: number, startTime: string): Promise<void> =>
    writeFile(
      path.join(state, `${id("q", number)}.${process.pid}.${startTime}`),
      JSON.stringify({ task: id("t", number), action: id("a", 1) }),
    );
  const alive = (await processStartTime(process.pid)) ?? "";
  await Promise.all([claim(1, "1"), claim(2, "1"), claim(3, "1"), claim(4, "1"), claim(5, alive)]);
  const known = new Map<string, readonly RecordType[]>([
    [id("t", 1), ["approval.asked"]],
    [id("t", 2), ["approval.asked", "approval.answered"]],
    [id("t", 3), ["policy.decision"]],
    [id("t", 5), ["approval.asked"]],
  ]);
  const appended: NewRecord[] = [];
  const parts = {
    layout,
    ledger: {
      append: async (record: NewRecord) => {
        appended.push(record);
        return { seq: 1 };
      },
    },
    recordsOf: (task: string) => {
      const types = known.get(task);
      if (types === undefined) throw new GloveboxError("TASK_UNKNOWN", "ledger.task-unknown", { values: { task } });
      return types.map((type) => ({ type, body: { approval: id("q", Number.parseInt(task.slice(-1), 16)) } }));
    },
  };
  await expireQuestions(parts, async () => undefined);
  assert.deepEqual(appended, [], "somebody else reaps");
  for (let round = 0; round < 2; round += 1) await expireQuestions(parts, async () => ({ release: () => {} }));
  assert.deepEqual(
    appended.map(({ type, task, body }) => [type, task, body]),
    [["approval.answered", taskIdSchema.parse(id("t", 1)), { approval: id("q", 1), answer: "expired" }]],
  );
  assert.deepEqual(await readdir(state), [`${id("q", 5)}.${process.pid}.${alive}`]);
});
