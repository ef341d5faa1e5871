// A project on an overlay, as in a container or a throw-away checkout: the rules hold there and the layer below stays as it is; started as root
// it is refused, because the kernel gives no idmapped mount of an overlay. Its layers lie on two file systems, so that stat() shows another device
// for a file than the kernel's list of sockets: a unix socket works all the same.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
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

const socketScript = `import socket
server = socket.socket(socket.AF_UNIX)
server.bind("own.sock")
server.listen()
socket.socket(socket.AF_UNIX).connect("own.sock")
print("connected")
`;

test(`a project on an overlay ${isRoot ? "is refused to root, by name" : "is worked in under its rules"}`, async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-overlay-")));
  t.after(() => removeScratch(base));
  await chmod(base, 0o755);
  const [low, top, project] = ["low", "top", "project"].map((name) => path.join(base, name));
  for (const directory of [low, top, project]) await mkdir(directory ?? "");
  await writeFile(path.join(low ?? "", "base.txt"), "base\n");
  await writeFile(path.join(low ?? "", "listen.py"), socketScript);
  const script = "echo changed > base.txt; echo x > later.txt; echo x > .envrc; mkdir new; mv base.txt new; ls new; python3 listen.py";
  const run = `${leave} ${process.execPath} ${commandLine} run --quiet --deny-write later.txt -- sh -c '${script}'`;
  const layers = `${options}lowerdir=${low},upperdir=${top}/up,workdir=${top}/work`;
  const mount = `mount -t tmpfs tmpfs ${top} && mkdir ${top}/up ${top}/work && mount -t overlay overlay -o ${layers} ${project}`;
  const { code, stdout, stderr } = await capture(
    "/bin/sh",
    [
      "-c",
      `exec unshare ${enter} sh -c "$1"`,
      "sh",
      `${mount} && cd ${project} && ${run}; code=$?; cd ${top}/up && find * -type f -exec cat {} +; exit $code`,
    ],
    {
      environment: { XDG_STATE_HOME: base, PATH: "/usr/bin:/bin" },
      timeoutMs: 120_000,
    },
  );
  assert.equal(await readFile(path.join(low ?? "", "base.txt"), "utf8"), "base\n");
  if (isRoot) {
    assert.equal(code, 122, stderr);
    assert.ok(stderr.includes("WALL_UNAVAILABLE") && stderr.includes(`"${project}"`), stderr);
    assert.equal(stdout, ""); // nothing was made in the upper layer
  } else {
    // Of the upper layer: the file where it was moved to, and nothing of what was refused.
    assert.deepEqual([code, stdout], [0, "base.txt\nconnected\nchanged\n"], stderr);
  }
});
