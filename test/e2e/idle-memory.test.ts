// The budget of an idle sandbox: what our own processes in it keep resident.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
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
    ["after another, and a while", ["bwrap", "guard"]],
  ] as const) {
    // The keeper of a command ends a moment after it; another one waits for the next, but not for ever.
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

interface Mapping {
  readonly start: string;
  readonly kib: number;
  readonly flags: readonly string[];
}

async function mappingsOf(pid: number): Promise<readonly Mapping[]> {
  const text = await readFile(`/proc/${pid}/smaps`, "utf8");
  const found = text.matchAll(/^([0-9a-f]+)-[0-9a-f]+ .*\nSize: +(\d+) kB\n(?:\w+: .*\n)*?VmFlags: (.*)$/gmu);
  return [...found].map(([, start = "", kib = "", flags = ""]) => ({ start, kib: Number(kib), flags: flags.trim().split(" ") }));
}

test("the keeper that waits has nothing of what the guard keeps of the host and of commands", async () => {
  const world = await makeWorld();
  const sandbox = await open(world.spec());
  const [guard] = (await ownProcesses(sandbox.id)).filter(({ program }) => program === "guard");
  assert.ok(guard !== undefined);
  const kept = (await mappingsOf(guard.pid)).filter(({ flags }) => flags.includes("dc"));
  assert.ok(kept.length === 1 && kept.every(({ kib }) => kib > 512), JSON.stringify(kept));
  await runIn(sandbox, ["true"], world.project);
  await waitUntil("the end of the keeper", async () => (await ownProcesses(sandbox.id)).length === 3);
  const [keeper] = (await ownProcesses(sandbox.id)).filter(({ program, pid }) => program === "guard" && pid !== guard.pid);
  assert.ok(keeper !== undefined);
  const inherited = await mappingsOf(keeper.pid);
  assert.ok(inherited.length > 8, JSON.stringify(inherited));
  assert.deepEqual(
    inherited.filter(({ start }) => kept.some((one) => one.start === start)),
    [],
  );
  await sandbox.close();
});
