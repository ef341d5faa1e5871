// kill -9 of the broker at every numbered step of one run: afterwards no process is left, the next start removes and records what the journal
// names, and the ledger proves. INVARIANT I-09, I-11
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { observe } from "../fixtures/observe/observe.ts";
import { assertNoKernelObjectLeft } from "../fixtures/residue.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const program = path.join(installation, "test/fixtures/run-and-die.ts");
/** The number of steps when this was last looked at: fewer means that a kill point was lost. */
const recordedSteps = 13;

let base = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-kill-")));
});

after(() => rm(base, { recursive: true }));

interface Scene {
  readonly state: string;
  readonly project: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function scene(): Promise<Scene> {
  const home = await mkdtemp(path.join(base, "s-"));
  const project = await mkdtemp(path.join(base, "p-"));
  return { state: path.join(home, "glovebox"), project, environment: { XDG_STATE_HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin" } };
}

/** The shell reports the kill as 128 + 9, so that `capture` sees an exit. */
async function runAndDie(step: number, { project, environment }: Scene): Promise<Captured> {
  return capture("/bin/sh", ["-c", '"$@"; exit $?', "sh", process.execPath, program, String(step), project], {
    environment,
    timeoutMs: 30_000,
  });
}

function processesOf(marker: string): number {
  return observe({ markers: [marker], omitSelf: true }).processes.filter(({ scope }) => scope.length > 0).length;
}

async function untilNoProcess(marker: string): Promise<void> {
  const deadline = Date.now() + 5000;
  // The kernel has no event for the end of a process that is not our child.
  while (processesOf(marker) > 0) {
    assert.ok(Date.now() < deadline, "a process of the sandbox outlived its broker by 5 s");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function nextStart({ project, environment }: Scene): Promise<void> {
  const door = composeDoor({ environment, installation });
  const result = await door.run(
    { policy: { projectDirectory: project }, argv: ["true"], cwd: project, callerEnvironment: environment },
    { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} },
  );
  await door.close();
  assert.equal(result.exitCode, 0);
}

async function recordTypes({ environment }: Scene): Promise<readonly string[]> {
  const door = composeDoor({ environment, installation });
  const records = await door.records({ limit: 100 });
  return records.toReversed().map((record) => record.type);
}

function hasRun(project: string): Promise<boolean> {
  return readFile(path.join(project, "ran.txt")).then(
    () => true,
    () => false,
  );
}

async function killAt(step: number): Promise<{ readonly isEnd: boolean; readonly name: string }> {
  const place = await scene();
  const before = observe({ markers: [place.project], omitSelf: true });
  const died = await runAndDie(step, place);
  const names = died.stdout.trim().split("\n");
  const name = names.at(-1) ?? "";
  if (died.code !== 137) {
    assert.equal(died.code, 0, died.stderr);
    return { isEnd: true, name };
  }
  assert.equal(names.length, step, died.stderr);
  await untilNoProcess(place.project);
  const typesBefore = await recordTypes(place);
  // I-01: whatever ran was decided and recorded before.
  if (await hasRun(place.project)) assert.ok(typesBefore.includes("policy.decision"), `${name}: ran without a recorded decision`);
  await nextStart(place);
  assert.deepEqual(await readdir(path.join(place.state, "tasks")), [], `${name}: a task directory is left`);
  assertNoKernelObjectLeft(before, observe({ markers: [place.project], omitSelf: true }));
  const types = await recordTypes(place);
  assert.deepEqual(types.slice(0, typesBefore.length), typesBefore, `${name}: a record was lost`);
  const report = await composeDoor({ environment: place.environment, installation }).verify({});
  assert.ok(report.exit === 0 || report.exit === 5, `${name}: verify says ${report.exit} ${JSON.stringify(report.findings)}`);
  return { isEnd: false, name };
}

test("a kill -9 of the broker at any numbered step leaves nothing, loses no record and is cleaned up by the next start", async (t) => {
  const visited: string[] = [];
  for (let step = 1; ; step += 1) {
    const { isEnd, name } = await killAt(step);
    if (isEnd) break;
    visited.push(name);
  }
  t.diagnostic(`visited ${visited.length} kill points: ${visited.join(", ")}`);
  assert.ok(visited.length >= recordedSteps, `visited ${visited.length} kill points, ${recordedSteps} are recorded`);
});

test("a task abandoned with its sandbox open is recorded as reaped", async () => {
  const place = await scene();
  const all = await runAndDie(0, await scene());
  const opened = all.stdout.split("\n").findIndex((line) => line.endsWith(" opening recorded")) + 1;
  assert.ok(opened > 0);
  await runAndDie(opened, place);
  await nextStart(place);
  assert.ok((await recordTypes(place)).includes("execution.reaped"));
});
