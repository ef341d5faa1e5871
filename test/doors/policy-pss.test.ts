// `glovebox policy pss` on real files: what passes, what is too open, and what is no file that anybody should read to its end.
import assert from "node:assert/strict";
import { mkdtemp, open, realpath, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { goodSpec } from "../../src/policy/pod-security/testing/oci.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const laughs = Array.from({ length: 10 }, (_, level) =>
  level === 0 ? "l0: &l0 ha" : `l${level}: &l${level} [${Array.from({ length: 10 }, () => `*l${level - 1}`).join(", ")}]`,
);

test("policy pss passes what was judged, tells what is too open, and refuses what cannot be judged", async (t) => {
  const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-pss-")));
  t.after(() => removeScratch(directory));
  const environment = { XDG_STATE_HOME: directory, HOME: directory, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
  const pss = (name: string) =>
    capture(process.execPath, [commandLine, "policy", "pss", "--json", path.join(directory, name)], { environment, timeoutMs: 120_000 });
  const good = goodSpec();
  await writeFile(path.join(directory, "good.json"), JSON.stringify(good));
  await writeFile(path.join(directory, "open.json"), JSON.stringify({ ...good, hooks: { prestart: [{ path: "/bin/true" }] } }));
  await writeFile(path.join(directory, "laughs.yaml"), laughs.join("\n"));
  const huge = await open(path.join(directory, "huge.yaml"), "w");
  await huge.truncate(100 * 1024 * 1024);
  await huge.close();
  await symlink("/dev/zero", path.join(directory, "zero.yaml"));
  assert.equal((await capture("/usr/bin/mkfifo", [path.join(directory, "fifo.yaml")], { environment, timeoutMs: 120_000 })).code, 0);

  const passed = await pss("good.json");
  assert.deepEqual([passed.code, passed.stderr], [0, ""]);
  const violated = await pss("open.json");
  assert.equal(violated.code, 120);
  assert.match(violated.stdout, /"path": "hooks"/u);
  const refusals = [
    ["laughs.yaml", "anchors"],
    ["huge.yaml", "larger than 1048576 bytes"],
    ["zero.yaml", "not a regular file"],
    ["fifo.yaml", "not a regular file"],
    ["none.yaml", "no such file"],
    ["good.toml", "which format"],
  ] as const;
  await Promise.all(
    refusals.map(async ([name, words]) => {
      const refused = await pss(name);
      assert.equal(refused.code, 2, name);
      assert.match(refused.stdout, /"code": "SPEC_UNREADABLE"/u, name);
      assert.ok(refused.stdout.includes(words), `${name}: ${refused.stdout}`);
    }),
  );
});
