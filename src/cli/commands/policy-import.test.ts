// `glovebox policy import`: what is asked of the door, where policy and notes go, and what is never overwritten.
import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fakeImport } from "../testing/fake-door.ts";
import { inDirectory } from "../testing/in-directory.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const argv = ["policy", "import", "--from", "srt", "s.json"];

test("policy import prints the policy on stdout and what does not hold on stderr", async () => {
  const call = await callCli(argv, { cwd: "/usr" });
  assert.equal(call.code, 0);
  assert.equal(call.out(), fakeImport.yaml);
  assert.match(call.err(), /^\/usr\/s\.json:3: network\.httpProxyPort: refused: nothing leaves/u);
  assert.deepEqual(call.door.calls, [{ method: "importPolicy", values: [{ from: "srt", file: "/usr/s.json", projectDirectory: "/usr" }] }]);
});

test("policy import --json gives both as data", async () => {
  const call = await callCli([...argv, "--json"], { cwd: "/usr" });
  assert.equal(call.err(), "");
  const { policy, notes } = JSON.parse(call.out()) as { policy: unknown; notes: readonly { key: string; kind: string; line: number }[] };
  assert.deepEqual(policy, fakeImport.document);
  assert.deepEqual(
    notes.map(({ kind, key, line }) => [kind, key, line]),
    [["refused", "network.httpProxyPort", 3]],
  );
});

test("policy import --out writes a new file, and replaces and follows nothing", async () => {
  await inDirectory(async (directory) => {
    const out = [...argv, "--out", "new.yaml"];
    const first = await callCli(out, { cwd: directory });
    assert.equal(first.out(), "");
    assert.equal(readFileSync(path.join(directory, "new.yaml"), "utf8"), fakeImport.yaml);
    const again = await callCli(out, { cwd: directory });
    assert.equal(again.code, 2);
    assert.match(again.err(), /EEXIST/u);
    symlinkSync(path.join(directory, "elsewhere"), path.join(directory, "link.yaml"));
    assert.equal((await callCli([...argv, "--out", "link.yaml"], { cwd: directory })).code, 2);
    assert.throws(() => readFileSync(path.join(directory, "elsewhere")), /ENOENT/u);
  });
});

test("policy import names the formats when none, or an unknown one, is given", async () => {
  for (const wrong of [
    ["policy", "import", "s.json"],
    ["policy", "import", "--from", "yaml", "s.json"],
  ]) {
    const call = await callCli(wrong, { cwd: "/usr" });
    assert.equal(call.code, 2);
    assert.match(call.err(), /srt/u);
    assert.equal(call.doorOpened, 0);
  }
});
