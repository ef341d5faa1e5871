// Code cells through a broker of another process: the limit of a cell and the end of a kernel are asked for at its door.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { code, makeWorld } from "../fixtures/library-world.ts";

const { glovebox, project } = await makeWorld({ after }, "attach");

test("cells of a broker process keep their variables, are interrupted at the limit that was asked for, and end with their kernel", async () => {
  await using sandbox = await glovebox.open({ project, policy: { boundary: "container" } });
  const { cells } = sandbox;
  assert.equal((await cells.run("x = 42")).status, "ok");
  const slow = await cells.run("while True: pass", { limitMs: 3000 });
  assert.deepEqual([slow.status, slow.code, slow.kernel], ["limit", "LIMIT_WALL_TIME", "kept"]);
  assert.equal(slow.limitHits[0]?.allowed, 3000);
  assert.equal((await cells.run("print(x)")).text, "42\n");
  await cells.end();
  assert.equal((await sandbox.stats()).processes, 0);
  await assert.rejects(sandbox.endCommand("a-0193f0c2a1b2-4d5e6f708192"), code("SANDBOX_UNKNOWN"));
});
