// A user who may have no more processes is told so, not that the kernel forbids namespaces.
import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { openProcessBoundary } from "../../src/boundaries/process/process.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { base, makeWorld, open, options } from "./process-boundary-fixture.ts";

/** bubblewrap under a limit of processes; never as uid 0, which the kernel spares. */
async function limitedBubblewrap(processes: number): Promise<string> {
  const file = path.join(base, `bwrap-${processes}`);
  const nobody = "/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups";
  const command = `/usr/bin/prlimit --nproc=${processes}:${processes} /usr/bin/bwrap "$@"`;
  await writeFile(file, `#!/bin/sh\nif [ "$(id -u)" = 0 ]; then exec ${nobody} ${command}; fi\nexec ${command}\n`);
  await chmod(file, 0o755);
  return file;
}

test("open() names the limit of processes and how to raise it", async () => {
  const bubblewrap = await limitedBubblewrap(1);
  const { spec } = await makeWorld();
  await assert.rejects(open(spec(), { bubblewrap }), (error) => {
    assert.ok(error instanceof GloveboxError);
    assert.equal(error.code, "WALL_UNAVAILABLE");
    assert.equal(error.situation, "wall.process-limit");
    return true;
  });
});

test("open() works under a limit that leaves room: the control of this file", async () => {
  const { spec } = await makeWorld();
  await (await open(spec(), { bubblewrap: await limitedBubblewrap(4096) })).close();
});

test("probe() names the limit of processes", async () => {
  const report = await openProcessBoundary({ ...options, bubblewrap: await limitedBubblewrap(1) }).probe();
  const line = report.lines.find(({ name }) => name === "user-namespaces");
  assert.deepEqual(line?.fix, { key: "wall.fix.process-limit" });
});
