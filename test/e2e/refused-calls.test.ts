// What the mediator refuses reaches the person: a record with commitments and counts, its detail in the blob, and a line of the answer sheet.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import { capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");

test("a refused call is recorded without its path in the leaf, and said on the answer sheet", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-refused-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  await mkdir(project);
  const environment = { XDG_STATE_HOME: path.join(base, "state"), PATH: "/usr/local/bin:/usr/bin:/bin" };
  const cli = (...words: readonly string[]) => capture(process.execPath, [commandLine, ...words], { environment, timeoutMs: 30_000 });
  const script = "for name in .envrc .bashrc; do echo x > $name; done; mkdir .git && echo x > .git/config; true";
  const run = await cli("run", "--quiet", "--project", project, "--cwd", project, "--", "sh", "-c", script);
  assert.equal(run.code, 0, run.stderr);
  const door = composeDoor({ environment, installation });
  const records = await door.records({ limit: 100 });
  const record = records.find(({ type }) => type === "execution.refused-calls");
  assert.ok(record?.task !== undefined);
  assert.equal(record.body["total"], 3);
  assert.deepEqual(record.body["rules"], [
    { rule: "gitConfig", count: 1 },
    { rule: "listedName", count: 2 },
  ]);
  assert.ok(!JSON.stringify(record.body).includes("envrc"));
  assert.deepEqual(
    record.detail?.["calls"],
    [".envrc", ".bashrc", ".git/config"].map((name) => ({
      call: "open",
      errno: "EACCES",
      rule: name === ".git/config" ? "gitConfig" : "listedName",
      path: path.join(project, name),
    })),
  );
  const { stdout } = await cli("explain", record.task, "--lang", "en");
  assert.match(stdout, /refused to open ".*\/project\/\.envrc": the name is protected/u);
  assert.equal((await door.verify({})).exit, 0);
});
