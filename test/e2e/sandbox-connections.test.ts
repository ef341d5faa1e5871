// Connections to ports inside an open sandbox: how many there may be, and that they keep it open. Over the memory boundary, which starts nothing.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { openMemoryBoundary } from "../../src/boundaries/memory/memory.ts";
import { connectionsAtOnce } from "../../src/broker/live-sandbox.ts";
import { composeDoor } from "../../src/compose.ts";
import type { Boundary } from "../../src/contracts/boundary.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");
let base = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-connections-")));
  await mkdir(path.join(base, "project"));
});

after(() => removeScratch(base));

/** A connection is a program that hears nothing and lasts until it is ended. */
function diallingBoundary(): Boundary {
  const memory = openMemoryBoundary();
  return {
    kind: memory.kind,
    probe: () => memory.probe(),
    open: async (spec, context) => {
      const sandbox = await memory.open(spec, context);
      return Object.assign(sandbox, { dial: () => sandbox.exec({ argv: ["sleep"], cwd: "/", environment: {} }) });
    },
  };
}

test("connections to ports are counted, keep a sandbox open, and let it go when the last has ended", async (t) => {
  const door = composeDoor({ environment: { XDG_STATE_HOME: base }, installation, boundary: diallingBoundary() });
  const { sandboxes, stop } = door.holdBroker();
  const opening = { policy: { projectDirectory: path.join(base, "project") }, callerEnvironment: {}, idleMs: 60_000 };
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  const access = await sandboxes.open(opening, { signal: new AbortController().signal });
  const connect = () => sandboxes.connect(access, 8080);
  const connections = await Promise.all(Array.from({ length: connectionsAtOnce }, connect));
  await assert.rejects(connect(), { code: "SANDBOX_LIMIT", situation: "sandbox.too-many-connections" });
  t.mock.timers.tick(120_000);
  await assert.rejects(connect(), { code: "SANDBOX_LIMIT" }, "it is still open");
  const ends = connections.map(async ({ received, close }) => {
    close();
    for await (const bytes of received) assert.fail(`${bytes.length} bytes came`);
  });
  await Promise.all(ends);
  await new Promise(setImmediate);
  t.mock.timers.tick(60_000);
  await assert.rejects(connect(), { code: "SANDBOX_CLOSED" });
  t.mock.timers.reset();
  await stop();
  await door.close();
});
