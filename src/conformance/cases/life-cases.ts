// The life of a sandbox: open, abort, journal, close.
import assert from "node:assert/strict";
import type { ConformanceCase } from "../conformance.ts";
import { finish, watch } from "./read-output.ts";

export const lifeCases: readonly ConformanceCase[] = [
  {
    name: "open() journals a process under the sandbox's id before it resolves",
    async run({ open, journal, spec }) {
      await open();
      assert.ok(journal.some(({ kind, name }) => kind === "process" && name === spec.sandboxId));
    },
  },
  {
    name: "open() makes nothing when the journal cannot be written",
    async run({ open }) {
      await assert.rejects(open({ journal: () => Promise.reject(new Error("disk full")) }));
    },
  },
  {
    name: "open() rejects when it was aborted before it began",
    async run({ open }) {
      await assert.rejects(open({ signal: AbortSignal.abort() }));
    },
  },
  {
    name: "open() rejects when it is aborted on its way",
    async run({ open }) {
      const controller = new AbortController();
      await assert.rejects(
        open({
          signal: controller.signal,
          journal: () => {
            controller.abort();
            return Promise.resolve();
          },
        }),
      );
    },
  },
  {
    name: "stats() counts open commands",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      assert.equal((await sandbox.stats()).openCommands, 0);
      const execution = await sandbox.exec({ argv: dialect.ignoreTerminate(), cwd: spec.projectDirectory });
      const { seen, done } = watch(execution, "ready");
      await seen;
      assert.equal((await sandbox.stats()).openCommands, 1);
      await execution.killTree();
      await done;
      assert.equal((await sandbox.stats()).openCommands, 0);
    },
  },
  {
    name: "close() is idempotent, also when called twice at once",
    async run({ open }) {
      const sandbox = await open();
      await Promise.all([sandbox.close(), sandbox.close()]);
      await sandbox.close();
    },
  },
  {
    name: "close() ends a command that ignores SIGTERM",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const execution = await sandbox.exec({ argv: dialect.ignoreTerminate(), cwd: spec.projectDirectory });
      const { seen, done } = watch(execution, "ready");
      await seen;
      await sandbox.close();
      const { exit } = await done;
      assert.ok(exit.kind === "lost" || exit.kind === "signalled", exit.kind);
    },
  },
  {
    name: "exec() after close() rejects with SANDBOX_CLOSED",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      await sandbox.close();
      await assert.rejects(sandbox.exec({ argv: dialect.exit(0), cwd: spec.projectDirectory }), { code: "SANDBOX_CLOSED" });
    },
  },
  {
    name: "a sandbox serves commands one after another",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      for (let turn = 0; turn < 5; turn += 1) {
        const { stdout } = await finish(await sandbox.exec({ argv: dialect.print(String(turn)), cwd: spec.projectDirectory }));
        assert.equal(stdout.toString(), `${turn}\n`);
      }
    },
  },
];
