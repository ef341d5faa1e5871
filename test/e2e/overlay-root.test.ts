// A project on an overlay, as in a container or a throw-away checkout: the rules hold there and the layer below stays as it is; started as root
// it is refused, because the kernel gives no idmapped mount of an overlay.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const isRoot = process.getuid?.() === 0;
/** The mount ends with its namespace. An ordinary user makes it with capabilities of his own namespace, which the run does not get. */
const [enter, leave, options] = isRoot
  ? ["--mount", "", ""]
  : ["--user --map-current-user --keep-caps --mount", "setpriv --ambient-caps=-all --inh-caps=-all --bounding-set=-all", "userxattr,"];

test(`a project on an overlay ${isRoot ? "is refused to root, by name" : "is worked in under its rules"}`, async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-overlay-")));
  t.after(() => removeScratch(base));
  await chmod(base, 0o755);
  const [low, up, work, project] = ["low", "up", "work", "project"].map((name) => path.join(base, name));
  for (const directory of [low, up, work, project]) await mkdir(directory ?? "");
  await writeFile(path.join(low ?? "", "base.txt"), "base\n");
  const script = "echo changed > base.txt; echo x > later.txt; echo x > .envrc; mkdir new; mv base.txt new; ls new";
  const run = `exec ${leave} ${process.execPath} ${commandLine} run --quiet --deny-write later.txt -- sh -c '${script}'`;
  const mount = `mount -t overlay overlay -o ${options}lowerdir=${low},upperdir=${up},workdir=${work} ${project}`;
  const { code, stdout, stderr } = await capture(
    "/bin/sh",
    ["-c", `exec unshare ${enter} sh -c "$1"`, "sh", `${mount} && cd ${project} && ${run}`],
    {
      environment: { XDG_STATE_HOME: base, PATH: "/usr/bin:/bin" },
      timeoutMs: 60_000,
    },
  );
  assert.equal(await readFile(path.join(low ?? "", "base.txt"), "utf8"), "base\n");
  const made = (await readdir(up ?? "")).toSorted();
  if (isRoot) {
    assert.equal(code, 122, stderr);
    assert.ok(stderr.includes("WALL_UNAVAILABLE") && stderr.includes(`"${project}"`), stderr);
    assert.deepEqual(made, []);
  } else {
    assert.deepEqual([code, stdout], [0, "base.txt\n"], stderr);
    assert.deepEqual(made, ["base.txt", "new"]); // what was moved away hides the one below
    assert.equal(await readFile(path.join(up ?? "", "new/base.txt"), "utf8"), "changed\n");
  }
});
