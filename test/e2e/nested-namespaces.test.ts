// What `nestedNamespaces` opens, and that nothing else comes with it: Chromium with its own sandbox, limits, root directories. The attacks are in
// test/escape/attacks/nested-namespaces.ts. INVARIANT I-02, I-04
import assert from "node:assert/strict";
import { access, copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { suite, test } from "node:test";
import { hostUser } from "../../src/kit/host-user.ts";
import { capture } from "../../src/kit/spawn.ts";
import { supervise } from "../../src/broker/supervise.ts";
import { base, installation, makeWorld, open, runIn, type World } from "./process-boundary-fixture.ts";
import { commandLine } from "../fixtures/command-line.ts";

async function nested(world: World, script: string, nestedNamespaces = true): Promise<string> {
  const sandbox = await open({ ...world.spec(), nestedNamespaces });
  const { output } = await runIn(sandbox, ["sh", "-c", `exec 2>&1; ${script}`], world.project);
  await sandbox.close();
  return output;
}

const chromium = `chromium --headless --disable-gpu --no-first-run --user-data-dir="$(mktemp -d)"`;
/** Of one renderer: whether each of its three namespaces is another one, and its root directory. */
const look = `for p in /proc/[0-9]*; do { tr '\\0' ' ' < $p/cmdline; } 2>/dev/null | grep -q -- '--type=renderer' || continue
for n in user pid net; do [ "$(readlink $p/ns/$n)" = "$(readlink /proc/self/ns/$n)" ] && echo shared || echo own; done; readlink $p/root; exit; done`;

suite("namespaces of a command's own", { timeout: 180_000 }, () => {
  test("Chromium works with its own sandbox: a page has user, pid and net namespaces and a root directory of its own", async () => {
    const world = await makeWorld();
    const page = `'data:text/html,<p>none</p><script>document.querySelector("p").textContent = 6 * 7</script>'`;
    assert.match(await nested(world, `${chromium} --dump-dom ${page} 2>/dev/null | grep -o '<p>.*</p>'`), /^<p>42<\/p>\n$/u);
    const script = `${chromium} --remote-debugging-port=0 about:blank >/dev/null 2>&1 & browser=$!
until seen=$(${look}) && [ -n "$seen" ] && [ "\${seen##*
}" != / ]; do kill -0 $browser || exit 8; sleep 0.05; done; kill $browser; echo "$seen"`;
    assert.match(await nested(world, script), /^own\nown\nown\n\/proc\/\d+\/fdinfo\n/u);
  });

  test("without the setting Chromium's own sandbox finds no way, and no namespace is made", async () => {
    const script = `${chromium} --dump-dom about:blank >/dev/null 2>&1 && echo worked; unshare -U true 2>&1`;
    assert.equal(await nested(await makeWorld(), script, false), "unshare: unshare failed: Operation not permitted\n");
  });

  test("the walls name it; other namespaces, mounts, host names and limits stay closed to a root of one's own", async () => {
    const world = await makeWorld();
    const sandbox = await open({ ...world.spec(), nestedNamespaces: true });
    assert.ok(sandbox.walls.layers.some(({ name }) => name === "nestedNamespaces"));
    const tries = [
      "unshare -m true",
      "unshare -u true",
      "unshare -i true",
      "unshare -C true",
      "mount -t tmpfs none docs",
      "mount --bind docs docs",
      "umount /proc",
      "hostname other",
      "ulimit -Hn 100000",
      "ulimit -Hu 100000",
      "echo 1 > /proc/sys/user/max_user_namespaces",
      "python3 -c 'import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)'",
      "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
      'python3 -c \'import os; os.setxattr("a.txt", "security.x", b"1")\'',
    ].map((line) => `(${line}) >/dev/null 2>&1 && echo 'worked: ${line.replaceAll("'", "")}'`);
    await writeFile(path.join(world.project, "tries.sh"), `id -u; ${tries.join("; ")}; echo end\n`);
    const { output } = await runIn(sandbox, ["unshare", "-Urpnf", "sh", "tries.sh"], world.project);
    assert.equal(output, "0\nend\n");
  });

  test("who changed his root directory is not served by the mediator, whose root is another one", async () => {
    const world = await makeWorld();
    const script = `python3 -c "
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000) == 0
here = os.getcwd()
open(here + '/before', 'w')
os.chroot('docs')
for name in [here + '/after', 'after', '/deep/after']:
  try: open(name, 'w'); print('made', name)
  except OSError as error: print(error.strerror)"; ls; ls docs docs/deep`;
    const lines = (await nested(world, script)).split("\n");
    assert.deepEqual(lines.slice(0, 3), ["No such file or directory", "Permission denied", "Permission denied"]);
    assert.ok(lines.includes("before") && !lines.includes("after"), lines.join("\n"));
  });

  test("the processes of namespaces of a command's own count like all others", async () => {
    const world = await makeWorld();
    const program = path.join(base, "exhaust-nested");
    const flags = ["-std=gnu17", "-O1", "-static", "-pthread", "-o", program, path.join(installation, "test/fixtures/exhaust.c")];
    assert.equal((await capture("/usr/bin/gcc", flags, { environment: { PATH: "/usr/bin:/bin" }, timeoutMs: 120_000 })).code, 0);
    await copyFile(program, path.join(world.project, "exhaust"));
    const spec = { ...world.spec(), nestedNamespaces: true };
    const limits = { ...spec.limits, processes: 40 };
    const sandbox = await open({ ...spec, limits }, { cgroups: "none" });
    const execution = await sandbox.exec({ argv: ["unshare", "-Urpf", "unshare", "-Upf", "./exhaust", "fork"], cwd: world.project });
    const { limitHits } = await supervise({
      execution,
      limits,
      exhausted: sandbox.exhausted,
      look: async () => sandbox.usage(),
      io: { signal: new AbortController().signal, onStart: () => {}, onOutput: async () => {} },
      monotonicNs: () => process.hrtime.bigint(),
      pauses: { totalNs: 0n, isPaused: false },
      observe: () => {},
    });
    assert.deepEqual(limitHits, [{ limit: "processes", allowed: 40, observed: 41 }]);
    await sandbox.close();
  });

  test("the user's own policy file opens it for a run", async () => {
    const world = await makeWorld();
    const home = path.join(base, "policy-home");
    await mkdir(path.join(home, ".config/glovebox"), { recursive: true });
    await writeFile(path.join(home, ".config/glovebox/policy.yaml"), "apiVersion: glovebox/v1\nnestedNamespaces: true\n");
    const kept = [installation, base].flatMap((place) => ["--bind", place, place]);
    const view = [
      "--dev-bind",
      "/",
      "/",
      "--bind",
      home,
      hostUser().home,
      ...kept,
      ...(process.getuid?.() === 0 ? ["--cap-add", "ALL"] : []),
    ];
    const run = [process.execPath, commandLine, "run", "--quiet", "--project", world.project];
    const environment = { XDG_STATE_HOME: path.join(base, "policy-state"), PATH: "/usr/local/bin:/usr/bin:/bin" };
    await mkdir(environment.XDG_STATE_HOME, { mode: 0o700 });
    const words = [...view, "--chdir", world.project, ...run, "--", "unshare", "-Ur", "sh", "-c", "id -u > seen"];
    const { code, stderr } = await capture("/usr/bin/bwrap", words, { environment, timeoutMs: 120_000 });
    assert.equal(code, 0, stderr);
    await access(path.join(world.project, "seen"));
  });
});
