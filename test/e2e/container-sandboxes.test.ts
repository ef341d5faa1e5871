// Containers that stay open, with every runtime, through the broker: they are used again by their id, and after their time nothing of them is left.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { chmod, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { runtimeNames } from "../../src/boundaries/container/container.ts";
import { composeDoor } from "../../src/compose.ts";
import type { OpenedSandbox, SandboxAccess, SandboxOpening } from "../../src/contracts/sandbox-door.ts";
import { processesWith } from "./process-boundary-fixture.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-containers-")));
await chmod(base, 0o755);
const project = path.join(base, "project");
mkdirSync(project);
const door = composeDoor({ environment: { XDG_STATE_HOME: base }, installation });
const broker = door.holdBroker();
after(async () => {
  await broker.stop();
  await door.close();
  await removeScratch(base);
});

function open(runtime: string, lifetimes: Pick<SandboxOpening, "hardMs"> = {}): Promise<OpenedSandbox> {
  const policy = { projectDirectory: project, overrides: { boundary: "container", container: { runtime } } };
  return broker.sandboxes.open({ policy, callerEnvironment: {}, ...lifetimes }, { signal: new AbortController().signal });
}

async function sh(access: SandboxAccess, script: string): Promise<string> {
  let output = "";
  const onOutput = async ({ bytes }: { readonly bytes: Uint8Array }): Promise<void> => void (output += Buffer.from(bytes).toString());
  const command = { argv: ["sh", "-c", script], callerEnvironment: {}, environment: {} } as const;
  await broker.sandboxes.exec(access, command, { signal: new AbortController().signal, onOutput, onStart: () => {} });
  return output;
}

for (const runtime of runtimeNames) {
  test(`${runtime}: a container is used again by its id with what was left in it, until its time is over; then nothing is left`, async () => {
    const access = await open(runtime, { hardMs: 15_000 });
    await sh(access, "echo kept > note; sleep 1000 >/dev/null 2>&1 & echo");
    assert.equal(await sh(access, "cat note"), "kept\n");
    assert.notDeepEqual(await processesWith(access.sandbox), []);
    await assert.rejects(broker.sandboxes.untilEnded(access, AbortSignal.timeout(120_000)), { code: "CONTAINER_EXPIRED" });
    await assert.rejects(sh(access, "true"), { code: "CONTAINER_EXPIRED" });
    assert.deepEqual(await processesWith(access.sandbox), []);
    const records = await door.records({ task: access.task, limit: 1 });
    assert.deepEqual(
      records.map(({ type, body }) => [type, body["reason"]]),
      [["execution.closed", "expired"]],
    );
  });
}
