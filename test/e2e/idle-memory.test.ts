// The budget of an idle sandbox: what our own processes in it keep resident.
import assert from "node:assert/strict";
import { test } from "node:test";
import { idleBudgetKib, ownProcesses } from "../../bench/idle.ts";
import { makeWorld, open, runIn } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";

test("our processes in an idle sandbox cost at most 3 MiB, shared pages divided, also after a command", async () => {
  const world = await makeWorld();
  const sandbox = await open(world.spec());
  for (const [moment, expected] of [
    ["just opened", ["bwrap", "guard"]],
    ["after a command", ["bwrap", "guard", "guard"]],
  ] as const) {
    // The keeper of a command ends a moment after it; another one waits for the next.
    await waitUntil("the end of the keeper", async () => (await ownProcesses(sandbox.id)).length === expected.length);
    const processes = await ownProcesses(sandbox.id);
    assert.deepEqual(processes.map(({ program }) => program).toSorted(), expected, moment);
    // Divided: how much of the C library that every program of the machine shares is resident in bubblewrap, the distribution says.
    const costKib = processes.reduce((sum, one) => sum + one.proportionalKib, 0);
    assert.ok(costKib > 0 && costKib <= idleBudgetKib, `${moment}: ${JSON.stringify(processes)}`);
    await runIn(sandbox, ["true"], world.project);
  }
  await sandbox.close();
});
