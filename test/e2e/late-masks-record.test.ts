// What was hidden late, all the way: the record, the answer sheet, and how long a spinning reader had it.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rename, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { lateMaskLines, measureLateMasks } from "../../bench/late-masks.ts";
import { composeDoor } from "../../src/compose.ts";
import { recordBodySchemas } from "../../src/contracts/ledger-record.ts";
import { globSegments, literalSegments } from "../../src/kit/path-glob.ts";
import { makeWorld, open, runIn } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");
let base = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-late-")));
});

after(() => removeScratch(base));

test("a late mask is a record of the task and a line of its sheet, with path, rule and window", async () => {
  const projectDirectory = path.join(base, "recorded");
  await mkdir(projectDirectory);
  const environment = { XDG_STATE_HOME: base, PATH: "/usr/local/bin:/usr/bin:/bin" };
  const door = composeDoor({ environment, installation });
  const pattern = `${projectDirectory}/**/.env`;
  const script = "mkdir deep; echo own > deep/.env; while cat deep/.env; do :; done > /dev/null 2>&1; echo over";
  const result = await door.run(
    {
      policy: { projectDirectory, overrides: { filesystem: { denyRead: [pattern] } } },
      argv: ["sh", "-c", script],
      cwd: projectDirectory,
      callerEnvironment: environment,
    },
    { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} },
  );
  assert.equal(result.exitCode, 0);
  const record = (await door.records({ task: result.task, limit: 20 })).find(({ type }) => type === "execution.late-masks");
  const body = recordBodySchemas["execution.late-masks"]().parse(record?.body);
  assert.deepEqual([body.total, body.isBroken], [1, false]);
  const happened = (await door.explainTask(result.task)).answers.find(({ question }) => question === "happened")?.lines ?? [];
  const line = happened.find(({ key }) => key === "task.happened.late-mask")?.values;
  assert.deepEqual([line?.["path"], line?.["rule"]], [path.join(projectDirectory, "deep/.env"), pattern]);
  assert.equal(line?.["windowUs"], body.longestUs);
  await door.close();
});

test("a spinning reader loses what the host puts under a denied name", async (t) => {
  const masks = await measureLateMasks(path.join(base, "spun"), 10);
  for (const line of lateMaskLines(masks)) t.diagnostic(line);
  assert.equal(masks.length, 10);
  // The reader ends only when it is refused. How long that took is the machine's; ten seconds would be a masker that sleeps.
  for (const { readableUs, windowUs } of masks) assert.ok(readableUs < 10_000_000 && windowUs < 10_000_000);
});

test("a project that the host moves away and replaces while it is open stays the one that was shown, with its masks", async () => {
  const world = await makeWorld();
  const segments = [...literalSegments(world.project), ...globSegments("**/.env")];
  const sandbox = await open(world.spec({ denyReadGlobs: [{ text: "**/.env", segments }] }));
  const away = `${world.project}.away`;
  await rename(world.project, away);
  await mkdir(world.project);
  await writeFile(path.join(world.project, ".env"), "canary-of-the-new");
  await mkdir(path.join(away, "late"));
  await writeFile(path.join(away, "late/.env"), "canary-late");
  await waitUntil("a late mask", () => Promise.resolve(sandbox.lateMasks.total > 0));
  const { output } = await runIn(sandbox, ["sh", "-c", "exec 2>&1; cat .env late/.env a.txt; echo made > made"], world.project);
  assert.doesNotMatch(output, /canary/u);
  assert.match(output, /a$/u);
  assert.equal(output.match(/Permission denied/gu)?.length, 2);
  await sandbox.close();
});
