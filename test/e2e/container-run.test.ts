// `glovebox run --boundary container`, as a person types it; and the end of a broker in the middle of it.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { killRunAt } from "../fixtures/kill-run.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

let base = "";
let project = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-contained-")));
  project = path.join(base, "project");
  await mkdir(project);
  await writeFile(path.join(project, "secret.txt"), "canary-project");
});
after(() => removeScratch(base));

function glovebox(...words: readonly string[]): Promise<Captured> {
  return capture(process.execPath, [commandLine, ...words], {
    environment: { XDG_STATE_HOME: path.join(base, "state"), PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, LANG: "C.UTF-8" },
    cwd: project,
    timeoutMs: 120_000,
  });
}

for (const runtime of linuxRuntimes) {
  const contained = (...words: readonly string[]) => glovebox("run", "--boundary", "container", "--runtime", runtime, ...words);

  test(`run --boundary container --runtime ${runtime}: output, exit code and sheet are those of a container, and the project is untouched`, async () => {
    const script = 'ls; echo made > note && cat note; echo err >&2; test "$(id -u)" = "$(stat -c %u .)"; exit 7';
    const { code, stdout, stderr } = await contained("--sheet", "--", "sh", "-c", script);
    assert.deepEqual([code, stdout], [7, "made\n"], stderr);
    assert.match(stderr, /^err$/mu);
    assert.match(stderr, new RegExp(`${runtime}.*read-only root; no capabilities`, "u"));
    assert.deepEqual(await readdir(project), ["secret.txt"]);
  });
}

// Without ls and stat: the flags with which Debian 12's coreutils ask about a file are none for Debian 12's gVisor.
test("run --boundary container --runtime runsc: output, exit code and sheet are those of a container of gVisor", async () => {
  const script = 'echo *; echo made > note && cat note; echo err >&2; echo done > "$OUTPUT_DIR/result"; exit 7';
  const { code, stdout, stderr } = await glovebox(
    "run",
    "--boundary",
    "container",
    "--runtime",
    "runsc",
    "--sheet",
    "--",
    "sh",
    "-c",
    script,
  );
  assert.deepEqual([code, stdout], [7, "*\nmade\n"], stderr);
  assert.match(stderr, /^err$/mu);
  assert.match(stderr, /runsc.*gVisor, (?:systrap|ptrace): .*in place of Landlock and the mediator.*read-only root; no capabilities/u);
  assert.match(stderr, /result/u);
  assert.deepEqual(await readdir(project), ["secret.txt"]);
});

test("run --boundary container says what a container cannot hold, and starts nothing", async () => {
  const { code, stdout, stderr } = await glovebox("run", "--boundary", "container", "--allow-read", "/opt", "--", "echo", "ran");
  assert.deepEqual([code, stdout], [122, ""], stderr);
  assert.match(stderr, /"\/opt"[\s\S]*PATH_RULE_UNENFORCEABLE/u);
});

/** One while the runtime has just started a container, one while it has a network and is about to end; all: test/long/kill-container-steps.test.ts. */
const samples = [
  ["runc", 9, []],
  ["runsc", 9, []],
  ["crun", 13, [{ id: "e1", hosts: ["api.example.com"], verdict: "allow" }]],
] as const;

for (const [runtime, step, egress] of samples) {
  test(`${runtime}: a kill -9 of the broker at step ${step} of a run leaves nothing`, async () => {
    const { isEnd } = await killRunAt(base, step, { boundary: "container", container: { runtime }, egress });
    assert.equal(isEnd, false);
  });
}
