// Glovebox's own places can never be write roots: what a command could write there would widen the next run. INVARIANT I-15
import assert from "node:assert/strict";
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import { hostUser } from "../../src/kit/host-user.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");

test("no policy opens the directory of the user's own policy, the state, or what holds them, to writes or reads", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-own-")));
  t.after(() => removeScratch(base));
  const door = composeDoor({ environment: { XDG_STATE_HOME: path.join(base, "state") }, installation });
  const project = { projectDirectory: path.join(base, "project") };
  const config = path.join(hostUser().home, ".config");
  const own = [
    config,
    path.join(config, "glovebox"),
    path.join(config, "glovebox/deeper"),
    path.join(base, "state"),
    path.join(base, "state/glovebox"),
  ];
  for (const place of own) {
    for (const list of ["allowWrite", "allowRead"]) {
      const opened = door.policy({ ...project, overrides: { filesystem: { [list]: [place] } } });
      await assert.rejects(opened, { code: "POLICY_VALUE_INVALID" }, `${list} ${place}`);
    }
  }
  // The control: a place that is nobody's.
  await door.policy({ ...project, overrides: { filesystem: { allowWrite: [path.join(base, "other")] } } });
});
