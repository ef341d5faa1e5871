// Secret canaries: planted in the caller's environment, in its arguments, in the home and in files that rules deny; then every output of a thorough
// search inside, every record of ours and everything that the host can see of the sandbox is searched for them. INVARIANT I-07
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { observe } from "../fixtures/observe/observe.ts";
import { type Ground, makeCanary, makeGround } from "./harness/ground.ts";
import { type InsideRequest, boundaryWith, insideEnvironment, quietContext, specFor } from "./harness/inside.ts";
import { runOutside } from "./harness/outside.ts";
import { startDecoy } from "./harness/peers.ts";
import { type ProgramCache, openProgramCache } from "./harness/program.ts";

let programs: ProgramCache;

before(async () => {
  programs = await openProgramCache();
});

after(async () => {
  await programs[Symbol.asyncDispose]();
});

/** Everything that a process can see: environments, arguments, the whole ground and the usual places, by content. */
const search = `
{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/self/mountinfo; } 2>/dev/null | grep -ao 'gbcanary-[0-9a-f]*'
for place in "$@" /tmp /var/tmp /run /home /root /dev/shm /etc; do grep -raoh --devices=skip 'gbcanary-[0-9a-f]*' "$place" 2>/dev/null; done | sort -u
:`;

interface Planted {
  readonly where: string;
  readonly canary: string;
}

const deniedFiles = [
  "home/.ssh/id_ed25519",
  "home/.aws/credentials",
  "home/notes.txt",
  "home/project/secret.txt",
  "home/project/vault/inner.txt",
  "home/project/out/secret.txt",
  "home/project/out/vault/inner.txt",
  "home/project/out/nest/vault/inner.txt",
  "outside/victim.txt",
];

async function plant(
  ground: Ground,
  resources: AsyncDisposableStack,
): Promise<{ readonly planted: readonly Planted[]; readonly variable: string }> {
  const [variable, decoyVariable, decoyArgument] = [makeCanary(), makeCanary(), makeCanary()];
  await startDecoy(resources, programs, "none", { environment: { TOKEN: decoyVariable }, args: [decoyArgument] });
  const inFiles = deniedFiles.map((file) => ({ where: file, canary: ground.canaryOf(path.join(ground.root, file)) }));
  const elsewhere = [
    { where: "the caller's environment", canary: variable },
    { where: "a host process's environment", canary: decoyVariable },
    { where: "a host process's arguments", canary: decoyArgument },
  ];
  return { planted: [...inFiles, ...elsewhere], variable };
}

const found = (text: string, planted: readonly Planted[]): readonly string[] =>
  planted.filter(({ canary }) => text.includes(canary)).map(({ where }) => where);

test("a search outside finds the canary planted in each place: the control of this file", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const { planted, variable } = await plant(ground, resources);
  const environment = { ...insideEnvironment(ground.home), API_TOKEN: variable };
  // Only the ground and processes: the rest of a real machine is nobody's business here.
  const script = search.replace(` /tmp /var/tmp /run /home /root /dev/shm /etc`, "");
  const { output } = await runOutside(["/bin/sh", "-c", script, "sh", ground.root], {
    cwd: ground.project,
    environment,
    terminal: false,
    timeoutMs: 120_000,
  });
  assert.deepEqual(
    found(output, planted),
    planted.map(({ where }) => where),
  );
});

test("the same search inside finds none of them, in no output and in nothing that stays on the host", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const { planted, variable } = await plant(ground, resources);
  const request: InsideRequest = {
    configuration: "both",
    argv: ["/bin/sh", "-c", `(${search}) | tee "$0/found"; echo searched`, ground.out, ground.root],
    terminal: false,
    home: ground.home,
    project: ground.project,
    privateDirectory: ground.private,
    paths: ground.paths,
    timeoutMs: 120_000,
  };
  const driver = path.join(import.meta.dirname, "harness/leaky-run.ts");
  const child = spawn(process.execPath, [driver, JSON.stringify(request)], {
    env: { ...insideEnvironment(ground.home), API_TOKEN: variable },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  const output = Buffer.concat(chunks).toString("latin1");
  assert.match(output, /searched/u);
  assert.deepEqual(found(output, planted), []);
  assert.deepEqual(found(await readFile(path.join(ground.out, "found"), "latin1"), planted), []);
});

test("no process of a sandbox has a canary of the caller in its environment or arguments, as the host sees them", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const variable = makeCanary();
  process.env["GLOVEBOX_TEST_CANARY"] = variable;
  resources.defer(() => void delete process.env["GLOVEBOX_TEST_CANARY"]);
  const spec = specFor({ ...ground, privateDirectory: ground.private });
  const sandbox = await boundaryWith("both").open(spec, quietContext(AbortSignal.timeout(120_000)));
  resources.defer(() => sandbox.close());
  const execution = await sandbox.exec({ argv: ["/bin/sh", "-c", "echo ready; read ignored"], cwd: ground.project });
  for await (const _ready of execution.output) break;
  const mine = observe({ ancestors: [process.pid], markers: [variable] }).processes;
  const inside = mine.filter((one) => one.scope.includes("descendant"));
  assert.ok(inside.length >= 3, "bubblewrap, guard and command must be visible from the host");
  assert.deepEqual(
    inside.filter((one) => one.scope.includes("marker")),
    [],
  );
  const planted = spawn("/bin/sleep", ["1000"], { env: { GLOVEBOX_TEST_CANARY: variable }, stdio: "ignore" });
  await once(planted, "spawn");
  const seen = observe({ ancestors: [process.pid], markers: [variable] }).processes.find((one) => one.pid === planted.pid);
  planted.kill("SIGKILL");
  await once(planted, "exit");
  assert.ok(seen?.scope.includes("marker"), "an inherited variable would have been seen");
});

test("the sandbox's private directory on the host holds the list of changes, no canary and no trace of the search", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const spec = specFor({ ...ground, privateDirectory: ground.private });
  const sandbox = await boundaryWith("both").open(spec, quietContext(AbortSignal.timeout(120_000)));
  await sandbox.close();
  assert.deepEqual((await readdir(ground.private)).toSorted(), ["touches.json", "touches.log"]);
  const kept = await readFile(path.join(ground.private, "touches.log"), "latin1");
  assert.ok(!kept.includes("gbcanary-"));
});
