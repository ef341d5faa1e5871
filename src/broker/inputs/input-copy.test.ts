// InputCopier: what it copies, what it refuses, and where it stops. In a directory of its own; no processes.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import { InputCopier, type InputRules } from "./input-copy.ts";

function world(t: TestContext, rules: Partial<InputRules> = {}) {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gb-copy-")));
  t.after(() => removeTree(base, { parent: path.dirname(base) }));
  const [from, to] = [path.join(base, "from"), path.join(base, "to")];
  mkdirSync(from);
  mkdirSync(to);
  const copier = new InputCopier({ entries: 1000, bytes: 1000, requireReadable: () => {}, signal: new AbortController().signal, ...rules });
  return { base, from, to, copier };
}

const situation = (expected: string) => (error: unknown) => error instanceof GloveboxError && error.situation === expected;

test("InputCopier copies bytes, and modes that let everybody read and nobody write", async (t) => {
  const { from, to, copier } = world(t);
  mkdirSync(path.join(from, "deep"), { mode: 0o700 });
  writeFileSync(path.join(from, "deep/tool"), "#!", { mode: 0o700 });
  writeFileSync(path.join(from, "deep/note"), "n", { mode: 0o600 });
  const { name, kind, files, bytes } = await copier.copy(from, to);
  assert.deepEqual([name, kind, files, bytes], ["from", "directory", 2, 3]);
  const modeOf = (file: string): number => statSync(path.join(to, "from", file)).mode & 0o777;
  assert.deepEqual([modeOf("deep"), modeOf("deep/tool"), modeOf("deep/note")], [0o755, 0o555, 0o444]);
  assert.equal(readFileSync(path.join(to, "from/deep/note"), "utf8"), "n");
});

test("InputCopier refuses a place that is reached through a link by now", async (t) => {
  const { base, from, to, copier } = world(t);
  writeFileSync(path.join(from, "a"), "canary");
  symlinkSync(from, path.join(base, "link"));
  await assert.rejects(copier.copy(path.join(base, "link/a"), to), situation("input.moved"));
  await assert.rejects(copier.copy(path.join(base, "link"), to), situation("input.kind"));
  assert.deepEqual(readdirSync(to), []);
});

test("InputCopier counts the bytes of all it copies, and its entries", async (t) => {
  const { from, to, copier } = world(t, { bytes: 5 });
  for (const file of ["one", "two"]) writeFileSync(path.join(from, file), "abc");
  await copier.copy(path.join(from, "one"), to);
  await assert.rejects(copier.copy(path.join(from, "two"), to), situation("input.too-large"));
});

test("InputCopier refuses a directory with more entries than it may still take, and copies none of them", async (t) => {
  const { from, to, copier } = world(t, { entries: 6 });
  for (const name of ["first", "second"]) {
    mkdirSync(path.join(from, name));
    for (const entry of ["a", "b", "c"]) symlinkSync("x", path.join(from, name, entry));
  }
  await copier.copy(path.join(from, "first"), to);
  await assert.rejects(copier.copy(path.join(from, "second"), to), situation("input.too-many"));
  assert.deepEqual(readdirSync(path.join(to, "second")), []);
});

test("InputCopier counts every file that it is given", async (t) => {
  const { from, to, copier } = world(t, { entries: 1 });
  for (const file of ["one", "two"]) writeFileSync(path.join(from, file), "");
  await copier.copy(path.join(from, "one"), to);
  await assert.rejects(copier.copy(path.join(from, "two"), to), situation("input.too-many"));
});

test("InputCopier goes no deeper than its bound", async (t) => {
  const { from, to, copier } = world(t);
  mkdirSync(path.join(from, ...Array.from({ length: 66 }, () => "d")), { recursive: true });
  await assert.rejects(copier.copy(from, to), situation("input.too-deep"));
});

test("InputCopier asks about every place, and copies nothing of one that is refused", async (t) => {
  const refused = new Error("refused");
  const requireReadable = (place: string): void => {
    if (place.endsWith("/closed")) throw refused;
  };
  const { from, to, copier } = world(t, { requireReadable });
  mkdirSync(path.join(from, "closed"));
  writeFileSync(path.join(from, "closed/a"), "canary");
  await assert.rejects(copier.copy(from, to), refused);
  assert.deepEqual(readdirSync(path.join(to, "from")), []);
});

test("InputCopier stops when its caller does", async (t) => {
  const abort = new AbortController();
  const { from, to, copier } = world(t, { signal: abort.signal });
  const reason = new Error("enough");
  abort.abort(reason);
  await assert.rejects(copier.copy(from, to), reason);
});
