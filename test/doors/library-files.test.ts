// Files of an open sandbox through the library: by commands inside, never by a path of the host. INVARIANT I-04
import assert from "node:assert/strict";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { type Glovebox, GloveboxError } from "../../src/lib.ts";
import { capture } from "../../src/kit/spawn.ts";
import { makeWorld } from "../fixtures/library-world.ts";

/** A sandbox of the test's own: its files, and what may be written there. */
async function opened(t: TestContext, glovebox: Glovebox, project: string) {
  const sandbox = await glovebox.open({ project });
  t.after(() => sandbox.close());
  const answers = (await sandbox.sheet()).answers.find(({ question }) => question === "write")?.lines ?? [];
  return { files: sandbox.files, answers };
}

const mkfifo = async (file: string): Promise<void> => void (await capture("/usr/bin/mkfifo", [file]));

test("files are read, written, listed and removed inside, whatever their names, and by no path of the host", async (t) => {
  const { glovebox, project } = await makeWorld(t, "hold");
  const { files, ...sandbox } = await opened(t, glovebox, project);
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256);
  await files.makeDirectory("-d/deep");
  for (const name of ["-d/bytes", "-d/--help", "-d/line\nfeed", "-d/if=x"]) {
    await files.write(name, bytes);
    assert.deepEqual((await files.read(name)).bytes, bytes);
    assert.deepEqual(new Uint8Array(await readFile(path.join(project, name))), bytes);
  }
  await files.write("-d/bytes", "short");
  await files.write("-d/bytes", "er", { isAppended: true });
  assert.deepEqual(await files.read("-d/bytes", { offset: 1, maxBytes: 3 }), {
    untrusted: true,
    bytes: new TextEncoder().encode("hor"),
    text: "hor",
    isTruncated: true,
  });
  await symlink("/etc/shadow", path.join(project, "-d/link"));
  const { entries, isTruncated } = await files.list("-d");
  assert.deepEqual(
    [isTruncated, ...entries.map(({ name, kind, bytes: length }) => [name, kind, kind === "file" ? length : 0])],
    [
      false,
      ["--help", "file", 300_000],
      ["bytes", "file", 7],
      ["deep", "directory", 0],
      ["if=x", "file", 300_000],
      ["line\nfeed", "file", 300_000],
      ["link", "link", 0],
    ],
  );
  await files.remove("-d");
  assert.deepEqual(await readdir(project), []);
  assert.ok(sandbox.answers.some(({ text }) => text === project));
});

test("a file that may not be touched is refused with the reason of the system, and a pipe holds up nobody", async (t) => {
  const { glovebox, project } = await makeWorld(t, "hold");
  const { files } = await opened(t, glovebox, project);
  await writeFile(path.join(project, "plain"), "text");
  await symlink("/etc/shadow", path.join(project, "link"));
  await mkfifo(path.join(project, "pipe"));
  const reason = (expected: string) => (error: unknown) =>
    error instanceof GloveboxError && error.code === "FILE_UNAVAILABLE" && error.details["reason"] === expected;
  await assert.rejects(files.read("missing"), reason("ENOENT"));
  await assert.rejects(files.read("link"), reason("EACCES"));
  await assert.rejects(files.read("."), reason("EISDIR"));
  await assert.rejects(files.list("plain"), reason("ENOTDIR"));
  await assert.rejects(files.write("/etc/planted", "x"), reason("EROFS"));
  await assert.rejects(files.write("missing/file", "x"), reason("ENOENT"));
  await assert.rejects(files.makeDirectory("/planted"), reason("EROFS"));
  await assert.rejects(files.remove("missing"), reason("ENOENT"));
  assert.equal((await files.read("pipe")).bytes.length, 0);
  await assert.rejects(files.write("pipe", "x"), reason("ENXIO"));
});
