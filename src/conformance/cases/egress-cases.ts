// A sandbox with an egress endpoint: nothing runs before the gate listens, and the gate is closed first.
import assert from "node:assert/strict";
import type { EgressEndpoint } from "../../contracts/egress.ts";
import type { ConformanceCase } from "../conformance.ts";
import { finish, watch } from "./read-output.ts";

/** A gate that takes the sockets and leaves them; what was asked of it, in order. */
function quietGate(events: string[], parts: Partial<EgressEndpoint> = {}): EgressEndpoint {
  let letGo = (): void => {};
  return {
    attach: async (listeners) => {
      events.push("attach");
      letGo = () => {
        listeners.tcp.close();
        listeners.dns.close();
      };
      await parts.attach?.(listeners);
    },
    refused: () => {},
    close: async () => {
      events.push("close");
      letGo();
      await parts.close?.();
    },
  };
}

export const egressCases: readonly ConformanceCase[] = [
  {
    name: "open() with an egress endpoint resolves when the gate listens, not before",
    async run({ open, dialect, spec }) {
      const events: string[] = [];
      const asked = Promise.withResolvers<void>();
      const listening = Promise.withResolvers<void>();
      const opening = open({
        egress: quietGate(events, {
          attach: () => {
            asked.resolve();
            return listening.promise;
          },
        }),
      });
      void opening.then(
        () => events.push("open"),
        () => {}, // told below
      );
      await Promise.race([asked.promise, opening]);
      events.push("listens");
      listening.resolve();
      const sandbox = await opening;
      const { stdout } = await finish(await sandbox.exec({ argv: dialect.print("ran"), cwd: spec.projectDirectory }));
      assert.equal(stdout.toString(), "ran\n");
      assert.deepEqual(events, ["attach", "listens", "open"]);
    },
  },
  {
    name: "open() rejects with the gate's own reason, and closes the gate",
    async run({ open }) {
      const events: string[] = [];
      const reason = new Error("no gate");
      await assert.rejects(open({ egress: quietGate(events, { attach: () => Promise.reject(reason) }) }), reason);
      assert.deepEqual(events, ["attach", "close"]);
    },
  },
  {
    name: "close() closes the gate once, before it ends a command",
    async run({ open, dialect, spec }) {
      const events: string[] = [];
      const running: number[] = [];
      const sandbox = await open({
        egress: quietGate(events, { close: async () => void running.push((await sandbox.stats()).openCommands) }),
      });
      const execution = await sandbox.exec({ argv: dialect.ignoreTerminate(), cwd: spec.projectDirectory });
      const { seen, done } = watch(execution, "ready");
      await seen;
      await Promise.all([sandbox.close(), sandbox.close()]);
      await done;
      assert.deepEqual([events, running], [["attach", "close"], [1]]);
    },
  },
  {
    name: "close() ends a sandbox whose gate fails to close",
    async run({ open, dialect, spec }) {
      const sandbox = await open({ egress: quietGate([], { close: () => Promise.reject(new Error("stuck")) }) });
      await sandbox.close();
      await assert.rejects(sandbox.exec({ argv: dialect.exit(0), cwd: spec.projectDirectory }), { code: "SANDBOX_CLOSED" });
    },
  },
];
