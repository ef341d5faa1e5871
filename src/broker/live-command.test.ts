// The state of a command from its start to the end of what it left running.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SandboxCommandResult } from "../contracts/sandbox-door.ts";
import { LiveCommand } from "./live-command.ts";

function leaving(): { readonly live: LiveCommand; readonly result: SandboxCommandResult } {
  const live = new LiveCommand({ action: "a-1", argv: ["server"], startedAtMs: 0, ask: undefined }, undefined);
  return { live, result: live.snapshot() };
}

test("what a command left running has ended once, whether that is known before its result or after it", () => {
  const before = leaving();
  before.live.settle();
  assert.equal(before.live.state, "running");
  before.live.end(before.result);
  const after = leaving();
  after.live.end(after.result);
  assert.equal(after.live.state, "left-running");
  after.live.settle();
  assert.deepEqual([before.live.state, after.live.state], ["ended", "ended"]);
});
