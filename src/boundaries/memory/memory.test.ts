// What the memory boundary offers beyond the contract: scripted programs, a failing open, and the order of what was asked of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { makeSandboxId, makeTaskId } from "../../contracts/ids.ts";
import { openMemoryBoundary } from "./memory.ts";
import { smallLimits } from "../../contracts/testing/limits.ts";

const ids = { nowMs: () => 1, randomBytes: () => new Uint8Array(6) };
const spec: SandboxSpec = {
  taskId: makeTaskId(ids),
  sandboxId: makeSandboxId(ids),
  projectDirectory: "/project",
  privateDirectory: "/private",
  paths: { readDefault: "system", allowRead: ["/data"], denyRead: ["/project/.env"], allowWrite: ["/project"], denyWrite: [] },
  environment: { NAME: "value" },
  limits: smallLimits,
  user: { uid: 1000, gid: 1000, name: "ann", home: "/home/ann" },
};
const context = { signal: new AbortController().signal, journal: (): Promise<void> => Promise.resolve() };

test("openMemoryBoundary() runs scripted programs with the sandbox's environment", async () => {
  const boundary = openMemoryBoundary({
    programs: {
      greet: async (io) => {
        await io.write("stdout", `${io.environment["NAME"]} in ${io.cwd}`);
        return 7;
      },
    },
  });
  const sandbox = await boundary.open(spec, context);
  const execution = await sandbox.exec({ argv: ["/opt/greet"], cwd: "/project" });
  let output = "";
  for await (const { bytes } of execution.output) output += Buffer.from(bytes).toString();
  const exit = await execution.exit;
  assert.equal(output, "value in /project");
  assert.equal(exit.kind === "exited" && exit.code, 7);
});

test("openMemoryBoundary() fails every open with the given error and journals nothing", async () => {
  const boundary = openMemoryBoundary({
    openFailure: new GloveboxError("WALL_UNAVAILABLE", "wall.guard-missing", { values: { path: "/guard" } }),
  });
  await assert.rejects(boundary.open(spec, context), { code: "WALL_UNAVAILABLE" });
  assert.deepEqual(boundary.events, ["open"]);
});

test("events name what was asked, in order: the journal before anything runs", async () => {
  const boundary = openMemoryBoundary();
  const sandbox = await boundary.open(spec, context);
  await (
    await sandbox.exec({ argv: ["true"], cwd: "/project" })
  ).exit;
  await sandbox.close();
  await sandbox.close();
  assert.deepEqual(boundary.events, ["open", "journal process", "exec true", "close"]);
});

test("a sandbox's walls say that there is none", async () => {
  const { walls } = await openMemoryBoundary().open(spec, context);
  assert.deepEqual(walls.layers, [{ name: "memory", detail: "no wall" }]);
  assert.deepEqual([walls.reads, walls.hidden, walls.writes], [["/project", "/data"], ["/project/.env"], ["/project"]]);
});

test("a program that throws ends its command with code 1, as a crashed process would", async () => {
  const boundary = openMemoryBoundary({ programs: { crash: () => Promise.reject(new Error("boom")) } });
  const sandbox = await boundary.open(spec, context);
  const exit = await (await sandbox.exec({ argv: ["crash"], cwd: "/project" })).exit;
  assert.equal(exit.kind === "exited" && exit.code, 1);
});
