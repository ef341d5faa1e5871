// Signals and the end of whole trees.
import assert from "node:assert/strict";
import type { ConformanceCase } from "../conformance.ts";
import { finish, watch } from "./read-output.ts";

export const treeCases: readonly ConformanceCase[] = [
  ...(["SIGTERM", "SIGINT", "SIGKILL", "SIGHUP"] as const).map((name): ConformanceCase => ({
    name: `${name} ends a command and is reported as the signal`,
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const execution = await sandbox.exec({ argv: dialect.wait(), cwd: spec.projectDirectory });
      const result = finish(execution);
      execution.signal(name);
      const { exit } = await result;
      const expected = { SIGTERM: 15, SIGINT: 2, SIGKILL: 9, SIGHUP: 1 }[name];
      assert.equal(exit.kind, "signalled");
      assert.equal(exit.kind === "signalled" && exit.signal, expected);
    },
  })),
  {
    name: "killTree() ends a command that ignores SIGTERM",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const execution = await sandbox.exec({ argv: dialect.ignoreTerminate(), cwd: spec.projectDirectory });
      const { seen, done } = watch(execution, "ready");
      await seen;
      execution.signal("SIGTERM");
      await execution.killTree();
      const { exit } = await done;
      assert.equal(exit.kind, "signalled");
      assert.equal(exit.kind === "signalled" && exit.signal, 9);
    },
  },
  {
    name: "killTree() ends a daemon that left the command's session",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const before = (await sandbox.stats()).processes;
      const execution = await sandbox.exec({ argv: dialect.leaveDaemon(), cwd: spec.projectDirectory });
      const { seen, done } = watch(execution, "ready");
      await seen;
      assert.ok((await sandbox.stats()).processes > before);
      await execution.killTree();
      await done;
      assert.equal((await sandbox.stats()).processes, before);
    },
  },
  {
    name: "killTree() of a command that has ended resolves",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const execution = await sandbox.exec({ argv: dialect.exit(3), cwd: spec.projectDirectory });
      await finish(execution);
      await execution.killTree();
      assert.equal((await execution.exit).kind, "exited");
    },
  },
];
