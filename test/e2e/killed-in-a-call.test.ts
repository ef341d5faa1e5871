// A command that is killed while the mediator serves its calls takes no lock with it: the next command of the same sandbox goes on. INVARIANT I-02
import assert from "node:assert/strict";
import { chmod } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { base, installation, makeWorld, open, runIn } from "./process-boundary-fixture.ts";

const rounds = 60;

test(
  "after each of many commands that were killed in the middle of their calls, another one makes a directory",
  { timeout: 60_000 },
  async () => {
    const program = path.join(base, "flood");
    const words = ["-std=gnu17", "-O1", "-static", "-pthread", "-o", program, path.join(installation, "test/fixtures/flood-mediator.c")];
    const { code, stderr } = await capture("/usr/bin/gcc", words, { environment: { PATH: "/usr/bin:/bin" }, timeoutMs: 120_000 });
    assert.equal(code, 0, stderr);
    await chmod(program, 0o755);
    const world = await makeWorld();
    const spec = world.spec({ allowRead: [program] });
    const sandbox = await open({ ...spec, limits: { ...spec.limits, processes: 60 } });
    for (let round = 0; round < rounds; round++) {
      const flood = await sandbox.exec({ argv: [program, "calls"], cwd: world.project });
      for await (const { bytes } of flood.output) if (Buffer.from(bytes).includes(" threads\n")) break;
      await flood.killTree();
      const { exit, output } = await runIn(sandbox, ["mkdir", `made-${round}`], world.project);
      assert.equal(exit.kind === "exited" ? exit.code : exit.kind, 0, output);
    }
  },
);
