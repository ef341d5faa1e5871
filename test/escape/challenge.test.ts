// `glovebox challenge` over the real machine: an attack that works outside and fails inside, one that proves nothing, a wall that is missing,
// and what the run outside may not do to the host.
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, realpath, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import * as z from "zod";
import { capture } from "../../src/kit/spawn.ts";
import { processesWith } from "../../src/proofs/look-at-process.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const product = [commandLine];
const withoutInner = [path.join(installation, "test/fixtures/main-without-wall.ts"), "outer"];

const reportSchema = z.looseObject({
  holds: z.boolean(),
  targets: z.array(z.looseObject({ id: z.string(), verdict: z.string(), outside: z.boolean(), heldBy: z.array(z.string()) })),
  refused: z.array(z.unknown()),
});

const attack = `cat "$1"
echo owned >> "$2"
echo new > "\${2%/*}/new"
echo planted > .git/hooks/pre-commit
`;

async function makePlaces(t: TestContext) {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-challenge-")));
  t.after(() => removeScratch(base));
  const under = (name: string): string => path.join(base, name);
  const places = { project: under("project"), state: under("state"), temporary: under("temporary"), script: under("attack.sh") };
  for (const directory of [places.project, places.state, places.temporary]) await mkdir(directory, { mode: 0o700 });
  // Root's control is nobody, who must find the way to its tree.
  for (const directory of [base, places.temporary]) await chmod(directory, 0o711);
  return places;
}

type Places = Awaited<ReturnType<typeof makePlaces>>;

async function challenge(places: Places, words: readonly string[], script: string, ...more: readonly string[]) {
  await writeFile(places.script, script);
  const { state, temporary, project } = places;
  const environment = { PATH: "/usr/bin:/bin", XDG_STATE_HOME: state, XDG_RUNTIME_DIR: state, TMPDIR: temporary, LANG: "C.UTF-8" };
  const argv = [...words, "challenge", "--json", "--project", project, ...more, places.script];
  const { code, stdout } = await capture(process.execPath, argv, { environment, timeoutMs: 120_000 });
  assert.deepEqual(await readdir(temporary), [], "a throw-away tree was left");
  assert.deepEqual(await readdir(project), [], "the project was disturbed");
  return { code, stdout };
}

const verdictsOf = (stdout: string) => new Map(reportSchema.parse(JSON.parse(stdout)).targets.map(({ id, verdict }) => [id, verdict]));

test("challenge shows an attack reach four things outside and none inside, with the walls that hold them", async (t) => {
  const { code, stdout } = await challenge(await makePlaces(t), product, attack, "--yes");
  assert.equal(code, 0, stdout);
  const { targets, refused } = reportSchema.parse(JSON.parse(stdout));
  assert.deepEqual(
    targets.map(({ id, verdict }) => `${id} ${verdict}`),
    ["secret held", "victim held", "stray held", "planted held"],
  );
  for (const { id, heldBy } of targets) assert.ok(heldBy.length > 0, id);
  assert.ok(refused.length > 0, "the refused calls are not told");
});

test("challenge makes every place that the policy denies in the project, more than it would probe", async (t) => {
  const places = await makePlaces(t);
  const policy = path.join(path.dirname(places.project), "policy.yaml");
  const denied = Array.from({ length: 20 }, (_, index) => `private-${index}`);
  await writeFile(policy, `apiVersion: glovebox/v1\nfilesystem: {denyRead: [${denied.join(", ")}], denyWrite: [kept]}\n`);
  const { code, stdout } = await challenge(places, product, attack, "--yes", "--policy", policy);
  assert.equal(code, 0, stdout);
});

test("challenge says that a script proves nothing which reaches nothing outside either", async (t) => {
  const { code, stdout } = await challenge(await makePlaces(t), product, "echo harmless > mine\n", "--yes");
  assert.equal(code, 122, stdout);
  assert.deepEqual([...new Set(verdictsOf(stdout).values())], ["not-tried"]);
});

test("challenge without the inner wall exits with 122 and says what was reached", async (t) => {
  const { code, stdout } = await challenge(await makePlaces(t), withoutInner, attack, "--yes");
  assert.equal(code, 122);
  assert.equal(verdictsOf(stdout).get("planted"), "reached");
});

test("challenge runs nothing without consent", async (t) => {
  const places = await makePlaces(t);
  const { code } = await challenge(places, product, attack);
  assert.equal(code, 2);
  assert.deepEqual(await readdir(places.state), []);
});

test("the run outside changes nothing of the host, reaches no listener of it, and leaves no process", async (t) => {
  const places = await makePlaces(t);
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const mark = path.join(path.dirname(places.script), "harm");
  const script = `#!/bin/bash\necho x > ${mark}; echo x > "$HOME/../../harm"; (exec 3<>/dev/tcp/127.0.0.1/${port})\nsleep 987654 &\necho owned >> "$2"\n`;
  const { stdout } = await challenge(places, product, script, "--yes");
  assert.equal(verdictsOf(stdout).get("victim"), "held");
  assert.ok(!(await readdir(path.dirname(places.script))).includes("harm"));
  assert.equal(connections, 0);
  assert.deepEqual(processesWith(["sleep", "987654"]), [], "a process of the script is left");
});
