// The root file system of a container: read-only pieces of the host, private places of one size, no account of the host's.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SandboxSpec } from "../../contracts/boundary.ts";
import type { EgressEndpoint } from "../../contracts/egress.ts";
import { roomyLimits } from "../../contracts/testing/limits.ts";
import { makeSandboxId, makeTaskId } from "../../contracts/ids.ts";
import { containerEnvironment } from "./environment.ts";
import { hostTemplate, type Look } from "./host-template.ts";
import { containerIdentity } from "./identity.ts";
import { inRoot, rootLayout } from "./root-layout.ts";
import { hiddenFrom, runCommand } from "./runtimes.ts";

const ids = { nowMs: () => 1, randomBytes: () => new Uint8Array(6) };

const machine: Readonly<Record<string, ReturnType<Look>>> = {
  "/bin": { kind: "link", target: "usr/bin" },
  "/lib": { kind: "link", target: "usr/lib" },
  "/etc/localtime": { kind: "link", target: "/usr/share/zoneinfo/Etc/UTC" },
  "/etc/ld.so.cache": { kind: "other" },
  "/etc/shadow": { kind: "other" },
  "/etc/passwd": { kind: "other" },
};
const look: Look = (path) => machine[path];

const gate: EgressEndpoint = { attach: async () => {}, refused: () => {}, close: async () => {} };

function layout(uid: number, more: Partial<SandboxSpec> = {}): readonly (readonly string[])[] {
  const spec: SandboxSpec = {
    taskId: makeTaskId(ids),
    sandboxId: makeSandboxId(ids),
    projectDirectory: "/srv/project",
    privateDirectory: "/private",
    paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [], denyWrite: [] },
    environment: {},
    homeFiles: { ".config/tool": "x = 1\n" },
    limits: roomyLimits,
    user: { uid, gid: uid, name: "me", home: "/home/me" },
    ...more,
  };
  return rootLayout({
    spec,
    template: hostTemplate(look),
    workspace: { path: "/srv/project", isWritable: false },
    shown: [{ path: "/srv/ca.pem", identity: "1:4" }],
    caches: [["bind", "/state/npm", "1:5", inRoot("/home/user/.npm")]],
    identity: containerIdentity(spec.user, spec.sandboxId),
    guardPath: "/opt/guard",
    stageDirectory: "/dev/shm",
    scratchBytes: 1234,
    document: "{}",
    joined: uid === 0 ? ["/sys/fs/cgroup/x/tasks"] : [],
    isGvisor: false,
    hidden: ["/sys/fs/cgroup"],
  });
}

test("rootLayout() shows the host read-only and nothing of it but the template, the guard and what was opened by name", () => {
  const shown = layout(1000).filter(([name, source]) => name?.startsWith("bind") === true && source?.startsWith("/dev/shm/") === false);
  assert.deepEqual(
    shown.map(([name, source]) => `${name} ${source}`),
    ["bind-ro /usr", "bind-ro /etc/ld.so.cache", "bind-ro /opt/guard", "bind /state/npm", "bind-ro /srv/ca.pem"],
  );
});

test("rootLayout() gives private places one size, and a workspace that no rule lets it write read-only", () => {
  const operations = layout(1000);
  assert.deepEqual(
    operations.filter(([name]) => name === "scratch").map((fields) => fields.join(" ")),
    ["scratch private 0755 1234"],
  );
  const workspace = operations.find((fields) => fields.at(-1) === "root/srv/project");
  assert.deepEqual(workspace, ["bind-ro", "/dev/shm/private/workspace", "-", "root/srv/project"]);
  assert.ok(operations.some((fields) => fields.join(" ") === "file private/home/.config/tool x = 1\n"));
});

test("rootLayout() keeps root's launcher root only for the runtime, with files that are nobody's", () => {
  assert.deepEqual(
    layout(0)
      .slice(0, 4)
      .map(([name]) => name),
    ["uid", "manage", "join", "stage"],
  );
  assert.equal(layout(1000)[0]?.[0], "stage");
});

test("hostTemplate() refuses programs outside /usr", () => {
  assert.throws(() => hostTemplate((path) => (path === "/bin" ? { kind: "other" } : look(path))), { situation: "container.not-merged" });
});

test("containerEnvironment() names the container's own places", () => {
  const given = { PATH: "/home/me/bin:/usr/bin:/usr/../home:/bin", HOME: "/home/me", USER: "me", LOGNAME: "other", X: "1" };
  assert.deepEqual(containerEnvironment(given, { home: "/home/me", name: "me" }, "sandbox"), {
    PATH: "/usr/bin:/bin",
    HOME: "/home/user",
    USER: "sandbox",
    LOGNAME: "other",
    X: "1",
    TMPDIR: "/tmp",
  });
  assert.equal(
    containerEnvironment({ PATH: "/home/me/bin" }, { home: "/home/me", name: "me" }, "s")["PATH"],
    "/usr/local/bin:/usr/bin:/bin",
  );
});

test("runCommand() starts a container under a name of the sandbox's, with the guard's channel and nothing else", () => {
  const places = { state: "/s", bundle: "/b", flags: [] };
  const runc = { name: "runc", path: "/usr/sbin/runc" } as const;
  const crun = { name: "crun", path: "/usr/bin/crun" } as const;
  assert.equal(runCommand(runc, places, "s-1").join(" "), "/usr/sbin/runc --root /s run --preserve-fds 1 --bundle /b glovebox-s-1");
  assert.ok(runCommand(crun, places, "s-1").includes("--cgroup-manager=disabled"));
  assert.deepEqual([hiddenFrom(runc), hiddenFrom(crun)], [[], ["/sys/fs/cgroup"]]);
});

test("rootLayout() shows root's container an opened file as if it owned it, and only the one that was looked at", () => {
  const shown = layout(0).find((fields) => fields.at(-1) === "root/srv/ca.pem");
  assert.deepEqual(shown, ["idmap-ro", "/srv/ca.pem", "1:4", "root/srv/ca.pem"]);
});

test("rootLayout() names the gate's resolver where there is a gate, and nobody where there is none", () => {
  const resolver = (more: Partial<SandboxSpec>) =>
    layout(1000, more)
      .find((fields) => fields[1] === "root/etc/resolv.conf")
      ?.at(-1);
  assert.deepEqual([resolver({}), resolver({ egress: gate })], ["", "nameserver 198.18.0.2\n"]);
});
