// The state of a command from its start to the end of what it left running.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SandboxCommandResult } from "../contracts/sandbox-door.ts";
import type { RunIo } from "../contracts/door.ts";
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

interface Reader {
  readonly io: RunIo;
  readonly read: string[];
  /** Takes nothing until then. */
  readonly begin: () => void;
}

function reader(): Reader {
  const begun = Promise.withResolvers<void>();
  const read: string[] = [];
  const onOutput: RunIo["onOutput"] = async ({ bytes }) => {
    await begun.promise;
    read.push(Buffer.from(bytes).toString());
  };
  return { io: { signal: new AbortController().signal, onOutput, onStart: () => {} }, read, begin: begun.resolve };
}

const chunk = (text: string) => ({ channel: "stdout" as const, bytes: Buffer.from(text) });

test("whoever attaches reads what was kept before what comes, however slowly they read", async () => {
  const { live, result } = leaving();
  for (const text of ["kept", "more"]) await live.io.onOutput(chunk(text));
  const { io, read, begin } = reader();
  const ended = live.attach(io);
  const handed = live.io.onOutput(chunk("then"));
  begin();
  await handed;
  live.end(result);
  assert.equal((await ended).action, "a-1");
  assert.deepEqual(read, ["keptmore", "then"]);
});

test("whoever attaches takes the command from a reader that has stopped, who is told", async () => {
  const { live, result } = leaving();
  const [first, second] = [reader(), reader()];
  const lost = live.attach(first.io);
  const stuck = live.io.onOutput(chunk("one"));
  second.begin();
  const ended = live.attach(second.io);
  await stuck;
  await assert.rejects(lost, { code: "STATE_BUSY" });
  await live.io.onOutput(chunk("two"));
  live.end(result);
  await ended;
  assert.deepEqual([first.read, second.read], [[], ["one", "two"]]);
});
