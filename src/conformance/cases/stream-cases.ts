// Bytes in both directions: order, content, back-pressure.
import assert from "node:assert/strict";
import type { ConformanceCase } from "../conformance.ts";
import { finish } from "./read-output.ts";

export const streamCases: readonly ConformanceCase[] = [
  {
    name: "stdout and stderr arrive on their own channels",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const out = await finish(await sandbox.exec({ argv: dialect.print("to out"), cwd: spec.projectDirectory }));
      const err = await finish(await sandbox.exec({ argv: dialect.printError("to err"), cwd: spec.projectDirectory }));
      assert.deepEqual([out.stdout.toString(), out.stderr.toString()], ["to out\n", ""]);
      assert.deepEqual([err.stdout.toString(), err.stderr.toString()], ["", "to err\n"]);
    },
  },
  {
    name: "every byte value passes through",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const { stdout } = await finish(await sandbox.exec({ argv: dialect.allBytes(), cwd: spec.projectDirectory }));
      assert.deepEqual(
        [...stdout],
        Array.from({ length: 256 }, (_, value) => value),
      );
    },
  },
  {
    name: "stdin is echoed byte for byte and its end is seen",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const execution = await sandbox.exec({ argv: dialect.copyInput(), cwd: spec.projectDirectory });
      const result = finish(execution);
      const sent = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * 31) % 256));
      await execution.writeStdin(sent.subarray(0, 10));
      await execution.writeStdin(sent.subarray(10));
      execution.endStdin();
      const { stdout, exit } = await result;
      assert.equal(exit.kind, "exited");
      assert.ok(stdout.equals(sent), `got ${stdout.length} of ${sent.length} bytes`);
    },
  },
  {
    name: "writing to a command that is gone rejects with SANDBOX_CLOSED",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const execution = await sandbox.exec({ argv: dialect.exit(0), cwd: spec.projectDirectory });
      await finish(execution);
      await assert.rejects(execution.writeStdin(Buffer.from("late")), { code: "SANDBOX_CLOSED" });
    },
  },
  {
    name: "a large output reaches a slow reader complete",
    async run({ open, dialect, spec }) {
      const size = 5_000_000;
      const sandbox = await open();
      const execution = await sandbox.exec({ argv: dialect.emit(size), cwd: spec.projectDirectory });
      let got = 0;
      for await (const { bytes } of execution.output) {
        got += bytes.length;
        await new Promise<void>((resolve) => setImmediate(resolve)); // a reader that is slower than the writer
      }
      assert.equal(got, size);
      assert.equal((await execution.exit).kind, "exited");
    },
  },
  {
    name: "unread output holds a command back without stopping another",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const stalled = await sandbox.exec({ argv: dialect.emit(20_000_000), cwd: spec.projectDirectory });
      const other = await finish(await sandbox.exec({ argv: dialect.print("alive"), cwd: spec.projectDirectory }));
      assert.equal(other.stdout.toString(), "alive\n");
      const state = await Promise.race([stalled.exit.then(() => "ended"), Promise.resolve("running")]);
      assert.equal(state, "running");
      await stalled.killTree();
      let got = 0;
      for await (const { bytes } of stalled.output) got += bytes.length;
      assert.ok(got <= 1 << 20, `${got} bytes were held for a reader that did not read`);
    },
  },
  {
    name: "two commands at once keep their streams apart",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const both = await Promise.all(
        ["first", "second"].map((text) =>
          sandbox.exec({ argv: dialect.copyInput(), cwd: spec.projectDirectory }).then(async (execution) => {
            const result = finish(execution);
            await execution.writeStdin(Buffer.from(text.repeat(1000)));
            execution.endStdin();
            return (await result).stdout.toString();
          }),
        ),
      );
      assert.deepEqual(both, ["first".repeat(1000), "second".repeat(1000)]);
    },
  },
];
