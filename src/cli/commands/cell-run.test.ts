// `glovebox cell run`: what it needs before anything opens, what a program is told, and what stays untrusted.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import * as z from "zod";
import type { Door } from "../../contracts/door.ts";
import { fakeBroker, fakeCommandResult } from "../../contracts/testing/fake-broker.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import { fakeTemplate } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const base = realpathSync(mkdtempSync(path.join(tmpdir(), "glovebox-cell-run-")));
after(() => removeTree(base, { parent: path.dirname(base) }));
writeFileSync(path.join(base, "two.py"), "x = 1\n# %%\nx\n");
writeFileSync(path.join(base, "empty.py"), "# %%\n");
writeFileSync(path.join(base, "bytes.py"), Buffer.from([0xff, 0xfe, 0x00]));

const list = async () => [{ ...fakeTemplate, name: "data" }];

const resultSchema = z.looseObject({
  exitCode: z.int(),
  cells: z.array(z.looseObject({ status: z.string(), untrusted: z.boolean(), isTruncated: z.boolean(), outputs: z.array(z.unknown()) })),
});

/** A broker whose bridge says these lines in each cell. */
function doorWith(says: readonly unknown[], opened: unknown[] = [], ended: Parameters<typeof fakeCommandResult>[0] = {}): Partial<Door> {
  const broker = fakeBroker({
    exec: async (_access, { argv }, { onOutput }) => {
      const lines = argv[4] === "start" ? [{ kind: "ready" }] : says;
      await onOutput({ channel: "stdout", bytes: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")) });
      return fakeCommandResult(argv[4] === "start" ? {} : ended);
    },
  });
  const { open } = broker.sandboxes;
  const sandboxes = {
    ...broker.sandboxes,
    open: (opening: Parameters<typeof open>[0], io: Parameters<typeof open>[1]) => (
      opened.push(opening.policy.overrides),
      open(opening, io)
    ),
  };
  return { holdBroker: () => ({ ...broker, sandboxes }) };
}

test("cell run starts from the template data, and where that is not built says how to build it and opens nothing", async () => {
  const opened: unknown[] = [];
  const says = [{ kind: "end", status: "ok" }];
  const built = {
    list,
    show: async () => fakeTemplate,
    verify: async () => ({ name: "data", id: "", differences: [] }),
    build: async () => fakeTemplate,
    remove: async () => [],
  };
  const none = await callCli(["cell", "run", "two.py"], { cwd: base, door: doorWith(says, opened) });
  assert.equal(none.code, 2);
  assert.match(none.stderr.bytes.toString(), /TEMPLATE_UNKNOWN\n.*glovebox template build data/u);
  assert.deepEqual(opened, []);
  const words = ["cell", "run", "two.py", "--runtime", "crun"];
  assert.equal((await callCli(words, { cwd: base, door: { ...doorWith(says, opened), templates: built } })).code, 0);
  assert.deepEqual(opened, [{ boundary: "container", container: { runtime: "crun", template: "data" } }]);
});

test("cell run refuses a file that has no cell or is no text, a time that is none, and two places to start from", async () => {
  const refused = [
    ["none.py"],
    ["empty.py"],
    ["bytes.py"],
    ["."],
    ["two.py", "--cell-limit", "soon"],
    ["two.py", "--own-programs", "--template", "base"],
  ];
  for (const words of refused) {
    const { code, doorOpened } = await callCli(["cell", "run", ...words], { cwd: base });
    assert.deepEqual([code, doorOpened], [2, 0], words.join(" "));
  }
});

test("cell run --json tells what each cell showed, marked untrusted and bounded, and ends with the first that fails", async () => {
  const says = [
    { kind: "stream", name: "stdout", text: "hi\u001b[2J\n" },
    { kind: "result", data: { "text/plain": "42", "image/png": "AAAA" } },
    { kind: "stream", name: "stderr", text: "x".repeat(2 << 20) },
    { kind: "error", name: "ValueError", value: "no", traceback: [] },
    { kind: "end", status: "error", count: 1 },
  ];
  const call = await callCli(["cell", "run", "two.py", "--own-programs", "--json"], { cwd: base, door: doorWith(says) });
  const told = resultSchema.parse(JSON.parse(call.stdout.bytes.toString()));
  assert.deepEqual([call.code, told.exitCode, told.cells.length], [1, 1, 1]);
  const [cell] = told.cells;
  assert.deepEqual([cell?.status, cell?.untrusted, cell?.isTruncated], ["error", true, true]);
  assert.deepEqual(cell?.outputs[1], { kind: "result", channel: "stdout", text: "42\n", types: ["text/plain", "image/png"] });
  assert.ok(call.stdout.bytes.length < 1 << 20);
  assert.ok(!call.stdout.bytes.includes(0x1b));
});

test("cell run shows a person what a bridge says of a cell, and a code where it says nothing that can be believed", async () => {
  const says = [
    { kind: "error", name: "ValueError", value: "no", traceback: ["ValueError: no"] },
    { kind: "end", status: "error" },
  ];
  const failed = await callCli(["cell", "run", "two.py", "--own-programs"], { cwd: base, door: doorWith(says) });
  assert.deepEqual([failed.code, failed.stderr.bytes.toString()], [1, "ValueError: no\n"]);
  const lost = await callCli(["cell", "run", "two.py", "--own-programs"], { cwd: base, door: doorWith([{ kind: "own" }]) });
  assert.equal(lost.code, 125);
  assert.match(lost.stderr.bytes.toString(), /cell 1 [^]*code: CELL_LOST/u);
});

test("cell run says that a cell was interrupted at its limit and whether its kernel is left, and ends with the code of a limit", async () => {
  const ended = { outcome: "timeout", exitCode: 124, limitHits: [{ limit: "wall", allowed: 3000, observed: 3001 }] } as const;
  const kept = await callCli(["cell", "run", "two.py", "--own-programs"], {
    cwd: base,
    door: doorWith([{ kind: "end", status: "error" }], [], ended),
  });
  assert.equal(kept.code, 124);
  assert.match(kept.stderr.bytes.toString(), /^glovebox: cell 1 was interrupted after 3 s \(LIMIT_WALL_TIME\).*\n$/u);
  const gone = await callCli(["cell", "run", "two.py", "--own-programs"], { cwd: base, door: doorWith([], [], ended) });
  assert.equal(gone.code, 124);
  assert.match(gone.stderr.bytes.toString(), /its kernel was ended after cell 1/u);
});
