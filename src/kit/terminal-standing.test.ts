// Where processes stand; with a real terminal in test/doors/approvals-elsewhere.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalStanding } from "./terminal-standing.ts";

test("terminalStanding() puts a process that is gone, and one that cannot be, at no terminal", async () => {
  for (const pid of [0, -1, 2 ** 31, Number.NaN])
    assert.deepEqual(await terminalStanding(pid), { terminals: [], isInForeground: false }, `${pid}`);
});

test("terminalStanding() finds those of whoever started a process too", async () => {
  const { terminals } = await terminalStanding(process.pid);
  const parent = await terminalStanding(process.ppid);
  assert.ok(parent.terminals.every((terminal) => terminals.includes(terminal)));
});
