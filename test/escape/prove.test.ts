// `glovebox prove` over the real machine: it proves the default policy and one with rules, and with a wall taken away it fails and names it.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import * as z from "zod";
import { capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const product = [commandLine];
const keeping = (layers: "none" | "outer" | "inner"): readonly string[] => [
  path.join(installation, "test/fixtures/main-without-wall.ts"),
  layers,
];

const reportSchema = z.looseObject({
  holds: z.boolean(),
  missingWalls: z.array(z.string()),
  proofs: z.array(
    z.looseObject({ id: z.string(), verdict: z.string(), heldBy: z.array(z.string()), host: z.looseObject({ text: z.string() }) }),
  ),
});

/** Runs in a project of its own, with a temporary directory of its own: what is left there afterwards is ours. */
async function prove(t: TestContext, words: readonly string[], policy?: string) {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-prove-")));
  t.after(() => removeScratch(base));
  const [project, state, temporary] = ["project", "state", "temporary"].map((name) => path.join(base, name)) as [string, string, string];
  for (const directory of [project, state, temporary]) await mkdir(directory, { mode: 0o700 });
  const file = path.join(base, "policy.yaml");
  if (policy !== undefined) await writeFile(file, policy);
  const chosen = policy === undefined ? [] : ["--policy", file];
  const environment = { PATH: "/usr/bin:/bin", XDG_STATE_HOME: state, XDG_RUNTIME_DIR: state, TMPDIR: temporary, LANG: "C.UTF-8" };
  const argv = [...words, "prove", "--json", "--project", project, ...chosen];
  const { code, stdout, stderr } = await capture(process.execPath, argv, { environment, timeoutMs: 120_000 });
  assert.deepEqual(await readdir(project), [], "the project was disturbed");
  assert.deepEqual(await readdir(temporary), [], "the throw-away tree was left");
  const report = reportSchema.parse(JSON.parse(stdout));
  const verdicts = new Map(report.proofs.map(({ id, verdict }) => [id, verdict]));
  return { code, report, verdicts, stderr };
}

test("prove holds every claim of the default policy, exits with 0 and leaves nothing", async (t) => {
  const { code, report } = await prove(t, product);
  assert.deepEqual(
    report.proofs.filter(({ verdict }) => verdict !== "held"),
    [],
  );
  assert.equal(code, 0);
  assert.ok(report.proofs.length >= 25, `only ${report.proofs.length} claims`);
  assert.deepEqual(report.missingWalls, []);
});

test("prove plants what the policy's own rules name and shows each rule hold", async (t) => {
  const rules = [
    "apiVersion: glovebox/v1",
    "filesystem:",
    "  allowWrite: [out]",
    "  denyWrite: [out/kept]",
    "  denyRead: [secret, out/vault, '**/*.key']",
    "",
  ];
  const { code, verdicts } = await prove(t, product, rules.join("\n"));
  assert.equal(code, 0);
  for (const id of ["read.denied.0", "read.denied.1", "read.denied.2", "write.denied.0", "write.project", "write.root"])
    assert.equal(verdicts.get(id), "held", id);
});

test("prove without the outer wall exits with 122 and names bubblewrap", async (t) => {
  const { code, report, verdicts } = await prove(t, keeping("inner"));
  assert.equal(code, 122);
  assert.ok(report.missingWalls.includes("bubblewrap"), report.missingWalls.join());
  assert.ok(!report.missingWalls.includes("seccomp"), report.missingWalls.join());
  assert.equal(verdicts.get("held.namespaces"), "not-held");
  assert.equal(verdicts.get("connect.interfaces"), "not-held");
});

test("prove without the inner wall exits with 122 and names Landlock, seccomp and the mediator", async (t) => {
  const { code, report, verdicts } = await prove(t, keeping("outer"));
  assert.equal(code, 122);
  for (const wall of ["landlock", "seccomp", "mediator"]) assert.ok(report.missingWalls.includes(wall), report.missingWalls.join());
  assert.ok(!report.missingWalls.includes("bubblewrap"), report.missingWalls.join());
  assert.equal(verdicts.get("write.protected.0"), "not-held");
});

test("prove without any wall sees what each probe gained: the control of its own probes", async (t) => {
  const { code, verdicts } = await prove(t, keeping("none"));
  assert.equal(code, 122);
  const gained = [
    "read.outside",
    "write.outside",
    "write.beside",
    "write.protected.0",
    "connect.0",
    "connect.1",
    "held.landlock",
    "held.seccomp",
  ];
  for (const id of gained) assert.equal(verdicts.get(id), "not-held", id);
});

test("no claim is said to be held by a wall that was not seen standing", async (t) => {
  const { report } = await prove(t, keeping("outer"));
  const named = new Set(report.proofs.flatMap(({ heldBy }) => heldBy));
  for (const wall of report.missingWalls) assert.ok(!named.has(wall), wall);
});
