// copyOut(): whatever is told inside, files come to be at the place that was named and nowhere else, or nothing does.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { fakeBroker, fakeCommandResult, fakeSandbox } from "../../contracts/testing/fake-broker.ts";
import { filesOfSandbox } from "../../sdk/sdk.ts";
import { copyOut } from "./copy-out.ts";

function scratch(t: TestContext): string {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gb-copy-out-")));
  t.after(() => rm(base, { recursive: true }));
  return base;
}

type Told = readonly (readonly [path: string, kind: string])[];

/** A sandbox that tells this of a tree, and of every file the same bytes. */
function telling(told: Told, bytes = "text") {
  const tree = told.map(([place, kind]) => [place, kind, "4", "644", ""].join("\0")).join("");
  const { sandboxes } = fakeBroker({
    exec: async (_, { argv }, io) => {
      const isListing = argv[0] === "find";
      await io.onOutput({ channel: "stdout", bytes: Buffer.from(isListing ? tree : bytes) });
      return fakeCommandResult();
    },
  });
  return filesOfSandbox({ door: sandboxes, access: { sandbox: fakeSandbox, token: "" }, callerEnvironment: {}, say: ({ key }) => key });
}

const top = ["", "d"] as const;

test("copyOut() makes a tree at a new place, and passes over what is neither file nor directory", async (t) => {
  const to = path.join(scratch(t), "to");
  const files = telling([top, ["a", "f"], ["d", "d"], ["d/b\nc", "f"], ["link", "l"], ["pipe", "p"]]);
  const { passedOver, ...copied } = await copyOut(files, { from: "x", to }, false);
  assert.deepEqual([copied, passedOver.map((entry) => entry.path)], [{ entries: 4, bytes: 8 }, ["link", "pipe"]]);
  assert.deepEqual([readdirSync(to), readFileSync(path.join(to, "d/b\nc"), "utf8")], [["a", "d"], "text"]);
});

test("copyOut() refuses names that lead elsewhere, a place told twice or out of order, and leaves nothing", async (t) => {
  const base = scratch(t);
  writeFileSync(path.join(base, "victim"), "whole");
  const lies: readonly Told[] = [
    [top, ["../victim", "f"]],
    [top, ["..", "d"]],
    [top, ["/etc", "d"]],
    [top, ["a//b", "f"]],
    [top, ["./a", "f"]],
    [top, top],
    [["a", "f"]],
    [],
    [top, ["a", "f"], ["a", "f"]],
    [top, ["a/b", "f"], ["a", "d"]],
    [top, ["a", "f"], ["a/b", "f"]],
    [top, ["x".repeat(300), "f"]],
    [["", "l"]],
  ];
  for (const told of lies) {
    const to = path.join(base, "to");
    await assert.rejects(copyOut(telling(told), { from: "x", to }, true), { code: "FILE_UNAVAILABLE" }, JSON.stringify(told));
    assert.deepEqual([readdirSync(base), readFileSync(path.join(base, "victim"), "utf8")], [["victim"], "whole"]);
  }
});

test("copyOut() replaces a file or a link only when it is told to, and a directory never", async (t) => {
  const base = scratch(t);
  const [file, link, victim] = [path.join(base, "file"), path.join(base, "link"), path.join(base, "victim")];
  for (const each of [file, victim]) writeFileSync(each, "old");
  symlinkSync(victim, link);
  const one = telling([["", "f"]]);
  for (const to of [file, link]) {
    await assert.rejects(copyOut(one, { from: "x", to }, false), { situation: "copy.exists" });
    assert.equal(readFileSync(to, "utf8"), "old");
    await copyOut(one, { from: "x", to }, true);
    assert.equal(readFileSync(to, "utf8"), "text");
  }
  assert.equal(readFileSync(victim, "utf8"), "old");
  for (const files of [one, telling([top])])
    await assert.rejects(copyOut(files, { from: "x", to: base }, true), { code: "FILE_UNAVAILABLE" });
  assert.deepEqual(readdirSync(base).toSorted(), ["file", "link", "victim"]);
  assert.ok(!existsSync(path.join(base, ".glovebox")));
});
