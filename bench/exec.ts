// One more command in an open process sandbox, beside Node's own spawn of the same program. Budget: no slower.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { capture } from "../src/kit/spawn.ts";
import { measureInTurn, printTimings } from "./measure.ts";
import { openBenchSandbox, runTrue } from "./open.ts";

export async function benchExec(rounds = 100): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  try {
    const { sandbox, project } = await openBenchSandbox(base);
    const timings = await measureInTurn(
      [
        { name: "Node spawn of /usr/bin/true", run: async () => void (await capture("/usr/bin/true", [])) },
        {
          name: "glovebox: exec of /usr/bin/true in an open sandbox",
          run: async () => {
            await runTrue(sandbox, project);
            return undefined;
          },
        },
      ],
      rounds,
    );
    await sandbox.close();
    printTimings(`one more command (${rounds} rounds in turn; budget 1.00x, without decision and record)`, timings);
  } finally {
    await rm(base, { recursive: true });
  }
}
