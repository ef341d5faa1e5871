// What of a command line is found, hashed, and said to be not bound.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { examineFiles, findProgram } from "./examine-files.ts";

async function ground(t: TestContext): Promise<string> {
  const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-examine-")));
  t.after(() => rm(directory, { recursive: true }));
  await mkdir(path.join(directory, "bin"));
  await writeFile(path.join(directory, "bin/tool"), "#!/bin/sh -e\necho one\n", { mode: 0o755 });
  await writeFile(path.join(directory, "bin/plain"), "no program", { mode: 0o644 });
  return directory;
}

test("findProgram() takes the first executable file of the search path, and a path as it is", async (t) => {
  const cwd = await ground(t);
  const searchPath = `${cwd}/none:${cwd}/bin:/usr/bin`;
  assert.equal(await findProgram("tool", { cwd, searchPath }), `${cwd}/bin/tool`);
  assert.equal(await findProgram("plain", { cwd, searchPath }), undefined);
  assert.equal(await findProgram("bin/tool", { cwd, searchPath }), `${cwd}/bin/tool`);
  assert.equal(await findProgram("bin", { cwd, searchPath: cwd }), undefined, "a directory is no program");
  assert.equal(await findProgram("", { cwd, searchPath }), undefined);
});

test("examineFiles() hashes program, interpreter and the files that operands name, once each", async (t) => {
  const cwd = await ground(t);
  await writeFile(path.join(cwd, "input"), "abc");
  const { program, files, notBound } = await examineFiles({
    argv: ["tool", "input", "input", "bin", "--x"],
    cwd,
    searchPath: `${cwd}/bin`,
  });
  assert.equal(program, `${cwd}/bin/tool`);
  assert.deepEqual(
    files.map(({ role, path: file }) => [role, path.basename(file)]),
    [
      ["program", "tool"],
      ["interpreter", path.basename(await realpath("/bin/sh"))],
      ["operand", "input"],
    ],
  );
  assert.equal(files[2]?.digest, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.deepEqual(notBound, []);
});

test("examineFiles() sees another content of the same file, and another target of the same link", async (t) => {
  const cwd = await ground(t);
  const request = { argv: ["tool", "link"], cwd, searchPath: `${cwd}/bin` };
  await writeFile(path.join(cwd, "a"), "same");
  await writeFile(path.join(cwd, "b"), "same");
  await symlink("a", path.join(cwd, "link"));
  const before = await examineFiles(request);
  await rm(path.join(cwd, "link"));
  await symlink("b", path.join(cwd, "link"));
  const linked = await examineFiles(request);
  assert.notDeepEqual(linked, before);
  await writeFile(path.join(cwd, "bin/tool"), "#!/bin/sh -e\necho two\n");
  assert.notDeepEqual(await examineFiles(request), linked);
});

test("examineFiles() says of a device, an unreadable file and a missing program that they are not bound", async (t) => {
  const cwd = await ground(t);
  const found = await examineFiles({ argv: ["absent", "/dev/null"], cwd, searchPath: `${cwd}/bin` });
  assert.equal(found.program, undefined);
  assert.deepEqual(found.notBound, [
    { what: "program", name: "absent" },
    { what: "operand", name: "/dev/null" },
  ]);
});

test("examineFiles() reads at most sixteen files and says which it left out", async (t) => {
  const cwd = await ground(t);
  const names = Array.from({ length: 18 }, (_, index) => `f${index}`);
  for (const name of names) await writeFile(path.join(cwd, name), name);
  await chmod(path.join(cwd, "bin/tool"), 0o755);
  const found = await examineFiles({ argv: ["tool", ...names], cwd, searchPath: `${cwd}/bin` });
  assert.equal(found.files.filter(({ role }) => role === "operand").length, 16);
  assert.deepEqual(
    found.notBound.map(({ name }) => name),
    ["f16", "f17"],
  );
});
