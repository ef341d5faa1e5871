// Two sandboxes with one write root: what the one makes never lands in a directory that the other turns into git's meanwhile. INVARIANT I-04
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { base, installation, makeWorld, open, runIn } from "./process-boundary-fixture.ts";

/** Without the lock it happens in a third of them. */
const rounds = 150;

async function build(): Promise<string> {
  const program = path.join(base, "shared-root-race");
  const source = path.join(installation, "test/fixtures/shared-root-race.c");
  const flags = ["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-o", program];
  const { code, stderr } = await capture("/usr/bin/gcc", [...flags, source], {
    environment: { PATH: "/usr/bin:/bin" },
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, stderr);
  return program;
}

/** How often the control may fall upon two sandboxes that do not meet: on a busy machine one of them may run through while the other waits. */
const controlRaces = 20;

/** @returns the git directories that hold a hook */
async function race(program: string, shared: { readonly sharedLockPath?: string }): Promise<readonly string[]> {
  const world = await makeWorld();
  await writeFile(path.join(world.project, "progress"), "");
  const roles = ["hooks", "git"] as const;
  const runs = roles.map(async (role) => {
    const privateDirectory = path.join(base, `private-${role}-${path.basename(path.dirname(world.home))}`);
    await mkdir(privateDirectory, { mode: 0o700 });
    const sandbox = await open({ ...world.spec({ allowRead: [program] }), privateDirectory }, shared);
    const { output, exit } = await runIn(sandbox, [program, role, `${rounds}`], world.project);
    await sandbox.close();
    assert.equal(exit.kind === "exited" ? exit.code : exit.kind, 0, output);
    assert.equal(Number(output), rounds, role);
  });
  await Promise.all(runs);
  const holds = (round: string, name: string): boolean => existsSync(path.join(world.project, round, name));
  const made = (await readdir(world.project)).filter((name) => name.startsWith("round-"));
  assert.equal(made.length, rounds);
  return made.filter((round) => holds(round, "HEAD") && holds(round, "hooks/post-commit"));
}

test("the lock of the state keeps two sandboxes from planting a hook together, which they do without it", async () => {
  const program = await build();
  await chmod(program, 0o755);
  let met = 0;
  for (let raced = 0; raced < controlRaces && met === 0; raced += 1) met = (await race(program, {})).length;
  assert.notEqual(met, 0, "the positive control failed: this proves nothing");
  assert.deepEqual(await race(program, { sharedLockPath: path.join(base, "roots.lock") }), []);
});

test("who was killed while waiting for the lock is not counted for ever", async () => {
  const sharedLockPath = path.join(base, "roots-of-the-dead.lock");
  await writeFile(sharedLockPath, Buffer.from([3, 0, 0, 0]), { mode: 0o600 }); // what three leave
  await truncate(sharedLockPath, 4096);
  for (const script of ["mkdir made", "echo x > written"]) {
    const world = await makeWorld();
    const sandbox = await open(world.spec(), { sharedLockPath });
    const { output, exit } = await runIn(sandbox, ["sh", "-c", script], world.project);
    await sandbox.close();
    assert.deepEqual(exit.kind === "exited" ? exit.code : exit.kind, 0, output);
    assert.equal((await readFile(sharedLockPath)).readUInt32LE(0), 0, script);
    await writeFile(sharedLockPath, Buffer.from([1, 0, 0, 0]), { flag: "r+" });
  }
});
