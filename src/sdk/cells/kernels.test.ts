// Cells whose bridge says what it likes: each ends with a code, and a kernel about which nothing is known any more is ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellOutput } from "../../contracts/cells.ts";
import type { RunIo } from "../../contracts/door.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { SandboxCommandResult } from "../../contracts/sandbox-door.ts";
import { fakeCommandResult } from "../../contracts/testing/fake-broker.ts";
import { Kernels } from "./kernels.ts";

interface Bridge {
  readonly says: Iterable<string>;
  readonly result?: Partial<SandboxCommandResult>;
}

const io = { signal: new AbortController().signal, onStart: () => {} };
const end = (status: string): string => `${JSON.stringify({ kind: "end", status })}\n`;
const wall = { outcome: "timeout", limitHits: [{ limit: "wall", allowed: 1, observed: 2 }] } as const;

/** @param cells what the bridge of each cell does, one after the other */
function kernelsWith(cells: readonly Bridge[], start: Bridge = { says: ['{"kind":"ready"}\n'] }) {
  const ended: string[] = [];
  const outputs: CellOutput[] = [];
  const left = [...cells];
  let actions = 0;
  const speak = async ({ says, result }: Bridge, { onOutput, signal }: RunIo): Promise<SandboxCommandResult> => {
    for (const text of says) {
      if (signal.aborted) break;
      await onOutput({ channel: "stdout", bytes: Buffer.from(text) });
    }
    return { ...fakeCommandResult(), action: `a-${(actions += 1)}`, ...(signal.aborted ? { outcome: "cancelled" } : {}), ...result };
  };
  const kernels = new Kernels({
    exec: ({ argv }, callIo) => speak(argv[4] === "start" ? start : (left.shift() ?? { says: [] }), callIo),
    endCommand: async (action) => void ended.push(action),
  });
  const run = async (code = "1") => {
    const {
      status,
      code: error,
      kernel,
    } = await kernels.run({ code, context: "main", onOutput: (output) => void outputs.push(output) }, io);
    return [status, error, kernel];
  };
  return { run, ended, outputs };
}

function* endless(line: string): Generator<string> {
  for (;;) yield line;
}

test("Kernels.run() ends a cell whose bridge says what no bridge says, as lost, and its kernel", async () => {
  const stream = `${JSON.stringify({ kind: "stream", name: "stdout", text: "x" })}\n`;
  const nonsense: readonly Bridge[] = [
    { says: ["garbage\n"] },
    { says: [] },
    { says: [end("ok"), end("ok")] },
    { says: [end("lost")] },
    { says: endless(stream) },
    { says: endless(" ".repeat(1 << 20)) },
  ];
  for (const bridge of nonsense) {
    const { run, ended, outputs } = kernelsWith([bridge, { says: [end("ok")] }]);
    assert.deepEqual(await run(), ["lost", "CELL_LOST", "ended"]);
    assert.deepEqual(ended, ["a-1"]);
    assert.ok(outputs.length <= 5000);
    assert.deepEqual(await run(), ["ok", undefined, "kept"], "the next cell has a new kernel");
  }
});

test("Kernels.run() keeps a kernel whose cell was interrupted at its limit once, and ends it with the second and where the cell went on", async () => {
  const atLimit = { says: [end("error")], result: wall };
  const twice = kernelsWith([atLimit, { says: [end("ok")] }, atLimit]);
  assert.deepEqual(await twice.run(), ["limit", "LIMIT_WALL_TIME", "kept"]);
  assert.deepEqual(await twice.run(), ["ok", undefined, "kept"]);
  assert.deepEqual(await twice.run(), ["limit", "LIMIT_WALL_TIME", "ended"]);
  assert.deepEqual(twice.ended, ["a-1"]);
  const deaf = kernelsWith([{ says: [], result: wall }]);
  assert.deepEqual(await deaf.run(), ["limit", "LIMIT_WALL_TIME", "ended"]);
  assert.deepEqual(deaf.ended, ["a-1"]);
});

test("Kernels.run() says why there is no kernel, and refuses what cannot be a cell", async () => {
  const missing = { says: ['{"kind":"unavailable","reason":"missing","detail":"No module named \'ipykernel\'"}\n'] };
  const cases: readonly (readonly [Bridge, string])[] = [
    [missing, "cell.no-kernel"],
    [{ says: [] }, "cell.not-started"],
    [{ says: [], result: { child: { kind: "not-started", value: 127 } } }, "cell.no-python"],
  ];
  const isRefused = (code: string, situation: string) => (error: unknown) =>
    error instanceof GloveboxError && error.code === code && error.situation === situation;
  for (const [start, situation] of cases) await assert.rejects(kernelsWith([], start).run(), isRefused("CELL_UNAVAILABLE", situation));
  for (const code of ["a\0b", "x".repeat(98_305)])
    await assert.rejects(kernelsWith([]).run(code), isRefused("USAGE_INVALID", "cell.code-unusable"));
});
