// The end of all sandboxes of one broker while one is being opened.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SandboxOpening } from "../contracts/sandbox-door.ts";
import { Sandboxes, type SandboxesParts } from "./sandboxes.ts";

const opening: SandboxOpening = { policy: { projectDirectory: "/project" }, callerEnvironment: {} };
const io = { signal: new AbortController().signal };

function sandboxesWith(prepare: SandboxesParts["prepare"], replaced?: string): Sandboxes {
  const needs = { prepare, nowMs: () => 0, replacedProgram: () => replaced };
  return new Sandboxes({ ...needs, onChange: () => {}, onOpened: async () => {}, onEnded: () => {} });
}

test("Sandboxes.closeAll() waits for what is being opened, and nothing is opened after it began", async () => {
  const prepared = Promise.withResolvers<never>();
  const sandboxes = sandboxesWith(() => prepared.promise);
  const opened = sandboxes.open(opening, io).catch(() => "refused");
  let isOver = false;
  const closed = sandboxes.closeAll().then(() => (isOver = true));
  await assert.rejects(sandboxes.open(opening, io), { code: "BROKER_UNAVAILABLE" });
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  assert.equal(sandboxes.count, 1);
  prepared.reject(new Error("no policy"));
  assert.equal(await opened, "refused");
  await closed;
  assert.equal(sandboxes.count, 0);
});

test("Sandboxes.open() prepares nothing when a program of its own has been replaced", async () => {
  const sandboxes = sandboxesWith(() => assert.fail("prepared"), "/opt/glovebox/build/guard");
  const refused = { code: "BROKER_VERSION", values: { file: "/opt/glovebox/build/guard" } };
  await assert.rejects(sandboxes.open(opening, io), refused);
  assert.equal(sandboxes.count, 0);
});
