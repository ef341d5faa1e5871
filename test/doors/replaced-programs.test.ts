// Set-up runs again under a broker: that one starts no program which it did not begin with, and leaves the place to the next as soon as it may. One of
// another version is ended by whoever cannot speak with it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFile, cp, mkdir, mkdtemp, realpath, rename, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { SharedBroker } from "../../src/contracts/reached-broker.ts";
import { spawnProcess } from "../../src/kit/spawn.ts";
import { endBroker, installation, processesOf, serveBroker, type ServedBroker, shell } from "../fixtures/served-broker.ts";
import { removeScratch } from "../fixtures/scratch.ts";

/** Sources and programs of its own. */
async function makeHouse(): Promise<string> {
  const house = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-house-")));
  for (const name of ["src", "build", "package.json"])
    await cp(path.join(installation, name), path.join(house, name), { recursive: true, filter: (file) => !file.includes("compile-cache") });
  await symlink(path.join(installation, "node_modules"), path.join(house, "node_modules"));
  return house;
}

async function serveFrom(t: TestContext): Promise<ServedBroker & { readonly house: string }> {
  const house = await makeHouse();
  const served = await serveBroker(t, {}, {}, house);
  t.after(() => removeScratch(house)); // by which its broker is ended first
  return { ...served, house, open: () => served.open() };
}

/** The same bytes, as set-up puts them there. */
async function replace(file: string): Promise<void> {
  await copyFile(file, `${file}.fresh`);
  await rename(`${file}.fresh`, file);
}

const openIn = ({ project, environment }: ServedBroker, { sandboxes }: SharedBroker) =>
  sandboxes.open({ policy: { projectDirectory: project }, callerEnvironment: environment }, { signal: new AbortController().signal });

test("a broker under which the guard was replaced opens nothing more, goes on with what is open, and leaves after it", async (t) => {
  const served = await serveFrom(t);
  const { environment, broker, house, door } = served;
  const access = await served.open();
  const first = await served.pid();
  await replace(path.join(house, "build/guard"));
  await assert.rejects(served.open(), { code: "BROKER_VERSION", values: { file: path.join(house, "build/guard") } });
  assert.equal((await shell(served, access, "echo on")).output, "on\n");
  await endBroker(environment["XDG_STATE_HOME"] ?? "", () => broker.sandboxes.end(access));
  await using next = await door.reachBroker();
  await openIn(served, next);
  assert.notEqual(await served.pid(), first);
});

test("a broker without sandboxes whose gate was replaced leaves with its refusal, and the next one opens", async (t) => {
  const served = await serveFrom(t);
  const { environment, house, door } = served;
  await replace(path.join(house, "src/gate.ts"));
  const refused = assert.rejects(served.open(), { code: "BROKER_VERSION", values: { file: path.join(house, "src/gate.ts") } });
  await endBroker(environment["XDG_STATE_HOME"] ?? "", () => refused);
  assert.deepEqual(await processesOf(environment["XDG_STATE_HOME"] ?? "", "broker"), []);
  await using next = await door.reachBroker();
  await openIn(served, next);
});

test("a broker of another version is said to be one, and ends with what it holds when it is told to", async (t) => {
  const house = await makeHouse();
  await writeFile(path.join(house, "src/contracts/version.ts"), 'export const version = "0.0.9";\n');
  const environment = { XDG_STATE_HOME: path.join(house, "s"), PATH: "/usr/local/bin:/usr/bin:/bin" };
  await mkdir(environment.XDG_STATE_HOME, { mode: 0o700 });
  const old = spawnProcess(process.execPath, [path.join(house, "src/main.ts"), "broker"], {
    environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(old, "close");
  t.after(async () => {
    old.kill("SIGKILL");
    await ended;
    await removeScratch(house);
  });
  const said = await new Promise<Buffer>((resolve) => old.stdout?.once("data", resolve));
  assert.equal(said.toString(), '{"state":"listening"}\n');
  const door = composeDoor({ environment, installation });
  await assert.rejects(door.reachBroker(), { code: "BROKER_VERSION", situation: "door.other-version" });
  await door.stopBroker();
  assert.deepEqual(await ended, [0, null]);
  assert.equal(await door.findBroker(), undefined);
  await door.stopBroker();
  await door.close();
});
