// A ledger that is damaged or cannot be written stops the run before anything starts, with exit code 125, one message and no stack trace. INVARIANT I-11
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, realpath, rm, truncate, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

interface Place {
  readonly state: string;
  readonly project: string;
  run(...words: readonly string[]): Promise<Captured>;
}

async function usedPlace(t: TestContext): Promise<Place> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-broken-")));
  t.after(() => removeScratch(base));
  const project = await mkdtemp(path.join(base, "project-"));
  const environment = { XDG_STATE_HOME: base, PATH: "/usr/bin:/bin" };
  const run: Place["run"] = (...words) =>
    capture(
      process.execPath,
      [commandLine, "run", "--quiet", "--project", project, "--cwd", project, ...words, "--", "sh", "-c", "echo > ran"],
      {
        environment,
        timeoutMs: 120_000,
      },
    );
  const { code, stderr } = await run();
  assert.equal(code, 0, stderr);
  await rm(path.join(project, "ran"));
  return { state: path.join(base, "glovebox"), project, run };
}

const damages: readonly (readonly [string, (state: string) => Promise<void>])[] = [
  ["the tree heads are gone", (state) => rm(path.join(state, "ledger/heads.log"))],
  ["a segment is gone", (state) => rm(path.join(state, "ledger/segment-00000000.log"))],
  ["a segment is cut", (state) => truncate(path.join(state, "ledger/segment-00000000.log"), 100)],
  ["the signing key is gone", (state) => rm(path.join(state, "keys/sign"))],
  ["the sealing key is gone", (state) => rm(path.join(state, "keys/seal"))],
  ["the state is of a later version", (state) => writeFile(path.join(state, "VERSION"), "2\n")],
];

for (const [name, damage] of damages) {
  test(`a run where ${name} exits with 125, says so once, and runs nothing`, async (t) => {
    const place = await usedPlace(t);
    await damage(place.state);
    const resultFile = path.join(place.project, "../result.json");
    const { code, stderr, stdout } = await place.run("--result-file", resultFile);
    assert.equal(code, 125, stderr);
    assert.equal(stdout, "");
    assert.doesNotMatch(stderr, /\n\s+at |Node\.js v/u);
    assert.match(stderr, /code\S* +(LEDGER_|STATE_)[A-Z]+/u);
    assert.deepEqual(await readdir(place.project), []);
    assert.match(await readFile(resultFile, "utf8"), /"exitCode": ?125/u);
  });
}
