// The output of a command that nobody reads yet.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OutputQueue } from "./output-queue.ts";
import { sizes } from "./protocol.ts";

test("OutputQueue holds a window of single bytes in few pieces, and gives credit back for what is taken", async () => {
  const returned = { stdout: 0, stderr: 0 };
  const queue = new OutputQueue((channel, bytes) => (returned[channel] += bytes));
  const bytes = Buffer.from("x");
  for (let at = 0; at < sizes.credit; at += 1) for (const channel of ["stdout", "stderr"] as const) queue.push({ channel, bytes });
  assert.throws(() => queue.push({ channel: "stdout", bytes }), { code: "GUARD_PROTOCOL" });
  const reader = queue[Symbol.asyncIterator]();
  let pieces = 0;
  for (let left = 2 * sizes.credit; left > 0; pieces += 1) left -= (await reader.next()).value?.bytes.length ?? left;
  assert.ok(pieces < 64, `${pieces} pieces`);
  for (const credit of Object.values(returned))
    assert.ok(credit >= (sizes.credit * 3) / 4 && credit <= sizes.credit, `${credit} of credit`);
});
