// What docs/known-incompatibilities.md says is what a program sees; and doctor names it.
import assert from "node:assert/strict";
import { chmod, copyFile, readFile } from "node:fs/promises";
import path from "node:path";
import { suite, test } from "node:test";
import { runDoctor } from "../../src/doctor/doctor.ts";
import { capture } from "../../src/kit/spawn.ts";
import { openProcessBoundary } from "../../src/boundaries/process/process.ts";
import { base, installation, makeWorld, open, options, runIn, type World } from "./process-boundary-fixture.ts";

async function build(world: World): Promise<string> {
  const program = path.join(world.project, "docs", "program");
  const flags = ["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-o", program];
  const source = path.join(installation, "test/fixtures/incompatible-calls.c");
  const { code, stderr } = await capture("/usr/bin/gcc", [...flags, source], {
    environment: { PATH: "/usr/bin:/bin" },
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, stderr);
  return program;
}

suite("known incompatibilities", { timeout: 120_000 }, () => {
  test("each call is answered as the page says; a program that may only be executed writes nothing in a write root", async () => {
    const world = await makeWorld();
    const program = await build(world);
    const hidden = `${program}-hidden`;
    await copyFile(program, hidden);
    await chmod(hidden, 0o111);
    const sandbox = await open(world.spec());
    const rest = "datagrams: ESOCKTNOSUPPORT\npackets: EAFNOSUPPORT\nnamespace: EPERM\nmount: EPERM\n";
    const readable = await runIn(sandbox, [program], world.project);
    assert.equal(readable.output, `io_uring: EPERM\nfilter: given\nlistener: EBUSY\nwrite: given\n${rest}`);
    const executeOnly = await runIn(sandbox, [hidden], world.project);
    assert.equal(executeOnly.output, `io_uring: EPERM\nfilter: given\nlistener: EBUSY\nwrite: EACCES\n${rest}`);
  });

  test("doctor names what no sandbox gives, each with what to do instead, and the page explains each", async () => {
    const report = await runDoctor({
      boundary: openProcessBoundary(options),
      containers: [],
      stateDirectory: base,
      checkLedger: async () => "0",
    });
    const lines = report.sections.find(({ name }) => name === "incompatible")?.lines ?? [];
    assert.ok(lines.length >= 6);
    const page = await readFile(path.join(installation, "docs/known-incompatibilities.md"), "utf8");
    const words = ["io_uring", "seccomp listener", "execute-only", "mount sandbox", "Chromium", "setuid programs"];
    for (const [index, line] of lines.entries()) {
      assert.deepEqual([line.state, line.required], ["incompatible", false]);
      assert.ok(line.fix !== undefined);
      assert.ok(page.includes(words[index] ?? "no such line"), line.name);
    }
  });
});
