// The process boundary through the suite: real bubblewrap and guard, as whoever runs the test.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { openProcessBoundary } from "../boundaries/process/process.ts";
import { makeSandboxId, makeTaskId } from "../contracts/ids.ts";
import { removeTree } from "../kit/remove-tree.ts";
import { conformanceCases, type ConformanceTarget, judgeCase, posixDialect } from "./conformance.ts";
import { deviationsOf } from "./deviations.ts";
import { roomyLimits } from "../contracts/testing/limits.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => randomBytes(count) };

const target: ConformanceTarget = {
  name: "process",
  boundary: openProcessBoundary({
    guardPath: path.join(installation, "build/guard"),
    launcherPath: path.join(installation, "build/launcher"),
    maskerPath: path.join(installation, "build/masker"),
    captivePath: path.join(installation, "build/captive"),
    protectedPaths: [{ path: installation, access: "read-only" }],
  }),
  dialect: posixDialect,
  async makeSpec(environment) {
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
  },
};

for (const one of conformanceCases) {
  test(`process boundary: ${one.name}`, async () => {
    await judgeCase(one, target, deviationsOf.process);
  });
}
