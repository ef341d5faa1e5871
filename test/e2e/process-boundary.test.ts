// The process boundary with real bubblewrap and guard, as whoever runs the test: what is seen, what can be changed, what is refused, and
// that nothing stays. Everything happens in a throw-away tree with a throw-away home.
import assert from "node:assert/strict";
import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { test } from "node:test";
import type { PathPolicy } from "../../src/contracts/boundary.ts";
import { installation, makeWorld, open, processesWith, runIn, sh } from "./process-boundary-fixture.ts";

test("a sandbox sees the system and the project, no home and no system secret", async () => {
  const world = await makeWorld();
  const seen = await sh(
    world,
    `cat ${world.project}/a.txt; ls /usr/bin/env; cat ${world.home}/.ssh/id_ed25519; cat /etc/shadow; ls -A ${world.home}; ls -A ${world.home}/work`,
  );
  assert.match(seen, /^a\/usr\/bin\/env$/mu);
  assert.doesNotMatch(seen, /canary|root:/u);
  assert.match(seen, /^work\napp$/mu);
});

test("a sandbox does not see the names of the keys that the kernel keeps for the user", async () => {
  const world = await makeWorld();
  assert.notEqual(await readFile("/proc/key-users", "latin1"), "");
  assert.equal(await sh(world, "cat /proc/keys /proc/key-users /proc/self/root/proc/keys; echo end"), "end\n");
});

test("a sandbox writes in its write root and nowhere else, and its files belong to the root's owner", async () => {
  const world = await makeWorld();
  const script = `echo new > made; for d in / /etc /usr /run ${world.home} ${world.home}/work; do echo x > $d/glovebox-made && echo "wrote $d"; done`;
  const seen = await sh(world, script);
  assert.doesNotMatch(seen, /wrote/u);
  const [made, root] = [await stat(path.join(world.project, "made")), await stat(world.project)];
  assert.deepEqual([made.uid, made.gid], [root.uid, root.gid]);
  assert.deepEqual(await readdir(path.join(world.home, "work")), ["app"]);
});

test("a project without a write root is read-only", async () => {
  const world = await makeWorld();
  const seen = await sh(world, "cat a.txt; echo x > a.txt; echo x > b; chmod 600 a.txt; rm -f a.txt; ls", { allowWrite: [] });
  assert.match(seen, /^a/u);
  assert.equal(await readFile(path.join(world.project, "a.txt"), "latin1"), "a");
  assert.deepEqual((await readdir(world.project)).toSorted(), [".env", "a.txt", "docs"]);
});

test("HOME and TMPDIR are private and writable, and gone with the sandbox", async () => {
  const world = await makeWorld();
  const seen = await sh(
    world,
    'echo x > ~/note && cat ~/note && f=$(mktemp) && echo y > "$f" && cat "$f" && echo "$HOME" && cat ~/work/app/a.txt',
  );
  assert.match(seen, /^x\ny\n\/run\/sandbox\/home\na$/u);
  assert.deepEqual((await readdir(world.home)).toSorted(), [".ssh", "work"]);
});

for (const place of ["a write root", "a read-only project"] as const) {
  test(`a denied file is unreadable in ${place}, by every name that leads to it`, async () => {
    const world = await makeWorld();
    const script =
      "ln -s .env l; ln .env h; for f in .env ./docs/../.env /proc/self/cwd/.env /proc/self/root$PWD/.env l h; do cat $f; done; mv .env moved; cat moved; cp .env copy; rm .env";
    const allowWrite = place === "a write root" ? [world.project] : [];
    const seen = await sh(world, script, { denyRead: [path.join(world.project, ".env")], allowWrite });
    assert.doesNotMatch(seen, /canary/u);
    assert.equal(await readFile(path.join(world.project, ".env"), "latin1"), "canary-env");
  });
}

test("a denied directory is unreadable, and a deeper allowed one in it is not", async () => {
  const world = await makeWorld();
  await writeFile(path.join(world.project, "docs/secret"), "canary-docs");
  const paths = { denyRead: [path.join(world.project, "docs")], allowRead: [path.join(world.project, "docs/deep")] };
  const seen = await sh(world, "ls docs; cat docs/secret; cat docs/deep/kept.md", paths);
  assert.doesNotMatch(seen, /canary|^secret$/mu);
  assert.match(seen, /kept$/u);
});

test("a write denial holds against writing, removing, renaming it and renaming what leads to it", async () => {
  const world = await makeWorld();
  const kept = path.join(world.project, "docs/deep/kept.md");
  const script =
    "f=docs/deep/kept.md; echo x > $f; echo x >> $f; rm -f $f; mv $f k; mv docs/deep docs/d2; mv docs d3; mkdir -p docs/deep; echo planted > docs/deep/kept.md; chmod 777 $f; touch -d yesterday $f; truncate -s 0 $f; true";
  const before = await lstat(kept);
  await sh(world, script, { denyWrite: [kept] });
  const found = await lstat(kept);
  assert.equal(await readFile(kept, "latin1"), "kept");
  assert.deepEqual([found.ino, found.mode, found.mtimeMs], [before.ino, before.mode, before.mtimeMs]);
});

test("open() refuses what it cannot hold, and leaves the host as it was", async () => {
  const world = await makeWorld();
  await link(path.join(world.project, ".env"), path.join(world.project, "second-name"));
  await symlink(path.join(world.home, ".ssh"), path.join(world.project, "to-ssh"));
  const before = (await readdir(world.project, { recursive: true })).toSorted();
  const cases: readonly (readonly [Partial<PathPolicy>, string])[] = [
    [{ denyRead: [path.join(world.project, ".env")] }, "wall.second-name"],
    [{ denyRead: [world.project] }, "wall.work-hidden"],
    [{ allowWrite: [path.join(world.project, "a.txt")] }, "wall.root-not-directory"],
    [{ allowWrite: [path.join(world.project, "none")] }, "wall.root-missing"],
    [{ allowWrite: [path.join(installation, "src")] }, "wall.root-in-installation"],
  ];
  for (const [paths, situation] of cases) {
    await assert.rejects(open(world.spec(paths)), { code: "PATH_RULE_UNENFORCEABLE", situation });
  }
  assert.deepEqual((await readdir(world.project, { recursive: true })).toSorted(), before);
});

test("a toolchain below the home is found through PATH, its credentials are absent", async () => {
  const world = await makeWorld();
  const bin = path.join(world.home, ".cargo/bin");
  await mkdir(bin, { recursive: true });
  await writeFile(path.join(bin, "glovebox-tool"), "#!/bin/sh\necho tool runs\n");
  await chmod(path.join(bin, "glovebox-tool"), 0o755);
  await writeFile(path.join(world.home, ".cargo/credentials.toml"), "canary-token");
  const spec = world.spec();
  const sandbox = await open({
    ...spec,
    environment: { ...spec.environment, PATH: `${bin}:${path.join(world.home, "bin")}:/usr/bin:/bin` },
  });
  const { output } = await runIn(sandbox, ["sh", "-c", 'glovebox-tool; echo "$PATH"; cat ~/.cargo/credentials.toml'], world.project);
  await sandbox.close();
  assert.match(output, new RegExp(`^tool runs\\n${bin}:/usr/bin:/bin\\n`, "u"));
  assert.doesNotMatch(output, /canary/u);
});

test("a sandbox has a loopback of its own and reaches nothing of the host", async () => {
  const world = await makeWorld();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end("canary-host");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const script = `
import socket, threading
try: print(socket.create_connection(("127.0.0.1", ${address.port}), 2).recv(20))
except OSError as e: print("refused", e.errno)
try: socket.create_connection(("192.0.2.1", 80), 2)
except OSError as e: print("unreachable", e.errno)
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
threading.Thread(target=lambda: s.accept()[0].sendall(b"own server")).start()
print(socket.create_connection(s.getsockname()).recv(20))
`;
  const sandbox = await open(world.spec());
  const { output } = await runIn(sandbox, ["python3", "-c", script], world.project);
  await sandbox.close();
  server.close();
  assert.equal(connections, 0);
  assert.match(output, /^refused \d+\nunreachable \d+\nb'own server'\n$/u);
});

test("nothing inside can raise a kernel setting, make a namespace or gain a capability", async () => {
  const world = await makeWorld();
  const seen = await sh(
    world,
    "for f in /proc/sys/kernel/pid_max /proc/sys/user/max_user_namespaces; do echo 5 > $f && echo raised; done; unshare -U true && echo namespaced; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; hostname",
  );
  assert.doesNotMatch(seen, /raised|namespaced/u);
  assert.match(seen, /CapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\nSeccomp:\s2\nsandbox\n$/u);
});

test("the sandbox's user is not root, on the host or inside", async () => {
  const world = await makeWorld();
  const sandbox = await open(world.spec());
  const { hostUid, insideUid, capabilities } = sandbox.walls.identity;
  assert.ok(hostUid !== 0 && insideUid !== 0 && capabilities.length === 0);
  const marker = sandbox.id;
  const [pid] = await processesWith(`--sandbox=${marker}`);
  assert.ok(pid !== undefined);
  const status = await readFile(`/proc/${pid}/status`, "latin1");
  assert.match(status, new RegExp(`^Uid:\\t${hostUid}\\t`, "mu"));
  assert.equal((await runIn(sandbox, ["id", "-u"], world.project)).output, `${insideUid}\n`);
  await sandbox.close();
});

test("openFiles is the limit of every command", async () => {
  const world = await makeWorld();
  assert.equal(await sh(world, "ulimit -n; ulimit -Hn; ulimit -c"), "256\n256\n0\n");
});

/** How often something can be done before the kernel refuses it. */
const counting = (act: string): string => `python3 -c 'import ctypes, os
count = 0
def watch():
    if ctypes.CDLL(None).inotify_init1(0) < 0: raise OSError
try:
    while True: ${act}; count += 1
except OSError: print(count)'`;

test("one sandbox takes neither all terminals of the machine nor all that its user may watch with", async () => {
  const most = Number(await readFile("/proc/sys/fs/inotify/max_user_instances", "utf8"));
  const world = await makeWorld();
  assert.equal(await sh(world, counting('os.open("/dev/ptmx", os.O_RDWR)')), "128\n");
  const watching = Number(await sh(world, counting("watch()")));
  // Root's sandboxes have users of their own.
  assert.ok(watching > 0 && watching <= (process.getuid?.() === 0 ? most : most / 4), String(watching));
});

test("ordinary tools work inside", async () => {
  const world = await makeWorld();
  const scripts = {
    git: "git init -q g && cd g && echo a > a && git add a && git commit -qm m && git status --porcelain && git log --oneline | wc -l",
    c: "printf 'int main(void){return 0;}' > m.c && gcc m.c -o m && ./m && echo built",
    python: "python3 -c 'import multiprocessing as m\nwith m.Pool(2) as p: print(sum(p.map(abs, range(10))))'",
    sort: "seq 1 200000 | sort -R -S 1M | sort -n -S 1M | tail -1",
    memory:
      "python3 -c 'from multiprocessing import shared_memory as s; a = s.SharedMemory(create=True, size=10); a.close(); a.unlink(); print(\"shared\")'",
    bash: "bash -c 'cat <(echo substituted)'",
  };
  const sandbox = await open(world.spec());
  const seen: Record<string, string> = {};
  for (const [name, script] of Object.entries(scripts)) seen[name] = (await runIn(sandbox, ["sh", "-c", script], world.project)).output;
  await sandbox.close();
  assert.deepEqual(seen, { git: "1\n", c: "built\n", python: "45\n", sort: "200000\n", memory: "shared\n", bash: "substituted\n" });
});
