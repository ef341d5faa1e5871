// A fresh spec on this machine for boundaries that start processes: a project that is a write root, and whoever runs the suite as its user.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { makeSandboxId, makeTaskId } from "../contracts/ids.ts";
import { roomyLimits } from "../contracts/testing/limits.ts";
import { removeTree } from "../kit/remove-tree.ts";
import type { ConformanceTarget } from "./conformance.ts";

const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => randomBytes(count) };

export const makeHostSpec: ConformanceTarget["makeSpec"] = async (environment) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-conformance-")));
  const { uid, gid, username, homedir } = os.userInfo();
  const projectDirectory = path.join(base, "project");
  const privateDirectory = path.join(base, "private");
  await mkdir(projectDirectory);
  await mkdir(privateDirectory, { mode: 0o700 });
  return {
    spec: {
      taskId: makeTaskId(ids),
      sandboxId: makeSandboxId(ids),
      projectDirectory,
      privateDirectory,
      paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [projectDirectory], denyWrite: [] },
      environment: { PATH: "/usr/local/bin:/usr/bin:/bin", ...environment },
      limits: roomyLimits,
      user: { uid, gid, name: username, home: homedir },
    },
    release: async () => {
      await removeTree(base, { parent: path.dirname(base) });
    },
  };
};
