// State that its owner may no longer read: a refusal that names the place and the way back, never INTERNAL. Root may read everything, and runs.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const isRoot = process.getuid?.() === 0;

/** Runs `true` with a state in which `closed` has the mode 0. */
async function runWithClosed(t: TestContext, closed: string): Promise<GloveboxError | number> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-closed-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  await mkdir(project);
  const run = async (): Promise<number> => {
    const door = composeDoor({ environment: { XDG_STATE_HOME: path.join(base, "state"), XDG_RUNTIME_DIR: base }, installation });
    const request = { policy: { projectDirectory: project }, argv: ["true"] as const, cwd: project, callerEnvironment: {} };
    const io = { signal: AbortSignal.timeout(120_000), onOutput: async () => {}, onStart: () => {} };
    return (await door.run(request, io)).exitCode;
  };
  assert.equal(await run(), 0, "the control");
  const place = path.join(base, "state/glovebox", closed);
  await chmod(place, 0);
  try {
    return await run();
  } catch (error) {
    if (error instanceof GloveboxError) return error;
    throw error;
  } finally {
    await chmod(place, 0o700);
  }
}

for (const { closed, code, says } of [
  { closed: "tasks", code: "LEDGER_UNREADABLE", says: ["directory", "tasks"] },
  { closed: "broker.lock", code: "LEDGER_UNWRITABLE", says: ["reason", "EACCES"] },
] as const) {
  test(`a run refuses when "${closed}" may not be read, and says so`, async (t) => {
    const outcome = await runWithClosed(t, closed);
    if (isRoot) {
      assert.equal(outcome, 0);
      return;
    }
    assert.ok(outcome instanceof GloveboxError);
    assert.equal(outcome.code, code);
    assert.ok(String(outcome.values[says[0]]).endsWith(says[1]), JSON.stringify(outcome.values));
  });
}
