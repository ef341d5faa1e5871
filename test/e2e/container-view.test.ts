// What a container shows and what holds it, by both runtimes: looked at from inside, and judged from the host.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { containerSpec, home, openContained, project, runContained } from "./container-fixture.ts";
import { processesWith } from "./process-boundary-fixture.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

const isRoot = process.getuid?.() === 0;
const sh = (script: string) => ["sh", "-c", `exec 2>&1; ${script}`] as const;
const lines = (text: string): readonly string[] => text.trimEnd().split("\n").toSorted();

for (const runtime of linuxRuntimes) {
  test(`${runtime}: a container shows the host's programs and nothing else of it`, async () => {
    const sandbox = await openContained(runtime);
    const { output } = await runContained(sandbox, [
      ...sh(`ls -A . ; cat ${home}/.ssh/id_ed25519 ${project}/a.txt; ls /home; cat $HOME/.config/tool`),
    ]);
    assert.doesNotMatch(output, /canary/u);
    assert.match(output, /^user$/mu);
    assert.match(output, /^of the policy$/mu);
    const root = lines((await runContained(sandbox, ["ls", "/"])).output);
    for (const name of ["bin", "dev", "etc", "home", "proc", "run", "sys", "tmp", "usr", "var"]) assert.ok(root.includes(name), name);
    for (const name of ["root", "srv", "opt", "mnt", "boot"]) assert.ok(!root.includes(name), name);
    const found = await runContained(sandbox, [...sh('for at in /dev/* /dev/*/*; do [ -c "$at" ] || [ -b "$at" ] && echo "$at"; done')]);
    const devices = lines(found.output).filter((name) => name !== "/dev/console");
    const safe = ["full", "null", "ptmx", "pts/ptmx", "random", "tty", "urandom", "zero"].map((name) => `/dev/${name}`);
    assert.deepEqual(devices, safe);
    const mine = (await runContained(sandbox, [...sh("ls /proc | grep -c '^[0-9]'")])).output.trim();
    assert.ok(Number(mine) <= 8, `${mine} processes are visible`);
    await sandbox.close();
  });

  test(`${runtime}: nothing is written but the container's own places, which end with it`, async () => {
    const sandbox = await openContained(runtime);
    const { output } = await runContained(sandbox, [
      ...sh('for at in / /usr /etc /bin /proc/sys/kernel /dev /home /run; do touch "$at/planted" && echo "wrote $at"; done'),
    ]);
    assert.doesNotMatch(output, /wrote/u);
    const own = await runContained(sandbox, [
      ...sh('for at in . /tmp /var/tmp "$HOME" /dev/shm; do echo kept > "$at/own" && cat "$at/own"; done'),
    ]);
    assert.equal(own.output, "kept\n".repeat(5));
    assert.equal(readFileSync(path.join(project, "a.txt"), "utf8"), "canary-project");
    assert.deepEqual(readdirSync(project), ["a.txt"]);
    await sandbox.close();
    const next = await openContained(runtime);
    assert.equal((await runContained(next, [...sh('ls -A . /tmp "$HOME" | grep own')])).output, "");
    await next.close();
  });

  test(`${runtime}: a port of the host is out of reach`, async () => {
    const server = createServer((socket) => socket.end("canary-port"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const client = `import socket; print(socket.create_connection(('127.0.0.1', ${port}), 2).recv(99))`;
    const sandbox = await openContained(runtime);
    const { output } = await runContained(sandbox, ["python3", "-c", client]);
    await sandbox.close();
    server.close();
    assert.doesNotMatch(output, /canary-port/u);
    assert.match(output, /ConnectionRefused/u);
  });

  test(`${runtime}: the host sees uids, namespaces and filter as the sheet says them`, async () => {
    const sandbox = await openContained(runtime);
    const pids = await processesWith(`--sandbox=${sandbox.id}`);
    const statuses = pids.map((pid) => readFileSync(`/proc/${pid}/status`, "utf8")).filter((status) => /^NSpid:.*\s1$/mu.test(status));
    assert.equal(statuses.length, 1, "one guard carries the mark");
    const { hostUid, insideUid, capabilities } = sandbox.walls.identity;
    assert.match(statuses[0] ?? "", new RegExp(`^Uid:(\\t${hostUid}){4}$`, "mu"));
    assert.deepEqual([insideUid, capabilities], [isRoot ? 1000 : 0, []]);
    assert.equal(hostUid === process.getuid?.(), !isRoot);
    assert.ok(sandbox.walls.layers.some(({ name }) => name === runtime));
    await sandbox.close();
  });

  test(`${runtime}: open refuses what a container cannot hold, and makes nothing`, async () => {
    const spec = containerSpec();
    const paths = { ...spec.paths, allowRead: ["/opt"] };
    await assert.rejects(openContained(runtime, { ...spec, paths }), { code: "PATH_RULE_UNENFORCEABLE", situation: "container.host-path" });
    const refuseOpenDocument = (): never => {
      throw new Error("too open");
    };
    await assert.rejects(openContained(runtime, spec, { refuseOpenDocument }), /too open/u);
    const gone = path.join(home, "no-such-program");
    await assert.rejects(openContained(runtime, spec, { guardPath: gone }), { code: "WALL_UNAVAILABLE", situation: "wall.guard-missing" });
    await assert.rejects(openContained(runtime, spec, { guardPath: "/usr/bin/true" }), { code: "SANDBOX_CLOSED" });
    assert.deepEqual(await processesWith(spec.sandboxId), []);
    assert.equal(existsSync(`/dev/shm/root`), false);
  });
}
