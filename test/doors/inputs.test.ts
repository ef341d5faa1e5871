// Files given to read through the doors: the command line's run and sandbox open, and the library with a broker of each kind.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, test } from "node:test";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { code, makeWorld } from "../fixtures/library-world.ts";

const worlds = { hold: await makeWorld({ after }, "hold"), attach: await makeWorld({ after }, "attach") };
const script = ["sh", "-c", 'cat "$INPUT_DIR/data.csv" "$INPUT_DIR/tree/inner"'] as const;

/** A file and a directory beside the project. */
async function filesOf(project: string): Promise<readonly [string, string]> {
  const place = path.join(path.dirname(project), "given");
  await mkdir(path.join(place, "tree"), { recursive: true });
  await writeFile(path.join(place, "data.csv"), "1,2\n");
  await writeFile(path.join(place, "tree/inner"), "3,4\n");
  return [path.join(place, "data.csv"), path.join(place, "tree")];
}

for (const broker of ["hold", "attach"] as const) {
  test(`the library hands files to a command, and to a sandbox of a broker to ${broker}, and says so on the sheet`, async () => {
    const { glovebox, project } = worlds[broker];
    const inputs = await filesOf(project);
    const once = await glovebox.run(script, { project, inputs });
    assert.equal(once.stdout.text, "1,2\n3,4\n");
    await using sandbox = await glovebox.open({ project, inputs, policy: { boundary: "container" } });
    // What changes on the host is not its copy's.
    await writeFile(inputs[0], "changed\n");
    for (const sheet of [once.sheet, await sandbox.sheet()]) {
      const lines = sheet.answers.find(({ question }) => question === "read")?.lines.map(({ text }) => text) ?? [];
      assert.ok(lines.some((line) => line.includes("data.csv") && line.includes("4 B")));
    }
    assert.equal((await sandbox.exec(script)).stdout.text, "1,2\n3,4\n");
    await assert.rejects(glovebox.open({ project, inputs: [path.join(project, "none")] }), code("INPUT_REFUSED"));
  });
}

test("the command line hands files to a command and to a sandbox that stays, and never outside", async () => {
  const { project, stateHome } = worlds.attach;
  const [file, tree] = await filesOf(project);
  const environment = { PATH: process.env["PATH"] ?? "", XDG_STATE_HOME: stateHome, LANG: "C.UTF-8" };
  const glovebox = (...words: readonly string[]): Promise<Captured> =>
    capture(process.execPath, [commandLine, ...words], { cwd: project, environment, timeoutMs: 120_000 });
  const given = ["--input", `../given/${path.basename(file)}`, "--input", tree];
  assert.equal((await glovebox("run", ...given, "--", ...script)).stdout, "1,2\n3,4\n");
  const id = (await glovebox("sandbox", "open", ...given)).stdout.trim();
  assert.equal((await glovebox("sandbox", "exec", id, "--", ...script)).stdout, "1,2\n3,4\n");
  await glovebox("sandbox", "close", id);
  const missing = await glovebox("run", "--input", "none", "--", "true");
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /none" to the command: there is no such file/u);
  assert.equal((await glovebox("run", ...given, "--unsandboxed", "--", "true")).code, 2);
});
