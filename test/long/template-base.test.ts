// The template `base` as a person builds it, with the scripts of its packages run: it starts, and its programs work.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

let base = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-base-")));
  await mkdir(path.join(base, "project"));
});
after(() => removeScratch(base));

function glovebox(...words: readonly string[]): Promise<Captured> {
  return capture(process.execPath, [commandLine, ...words], {
    environment: { XDG_STATE_HOME: path.join(base, "state"), PATH: "/usr/bin:/bin", HOME: base, LANG: "C.UTF-8" },
    cwd: path.join(base, "project"),
    timeoutMs: 900_000,
  });
}

test("template build base: shells, perl, awk and certificates work in a container that starts from it", async () => {
  const build = await glovebox("template", "build", "base", "--json");
  assert.equal(build.code, 0, build.stderr);
  assert.match(build.stderr, /Installing packages\n[\s\S]*Looking for secrets\n/u);
  const script =
    "bash -c 'echo $((6*7))'; perl -e 'print 7*6, qq(\\n)'; awk 'BEGIN {print 42}'; test -s /etc/ssl/certs/ca-certificates.crt && dpkg -l bash | tail -1";
  for (const runtime of linuxRuntimes) {
    const words = ["--boundary", "container", "--runtime", runtime, "--template", "base", "--", "sh", "-c", script];
    const { code, stdout, stderr } = await glovebox("run", ...words);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^42\n42\n42\nii {2}bash/u);
  }
  assert.equal((await glovebox("template", "verify", "base")).code, 0);
});
