// What path rules mean in a container, and which of them refuse.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PathGlob, PathPolicy, SandboxSpec } from "../../contracts/boundary.ts";
import { roomyLimits } from "../../contracts/testing/limits.ts";
import { makeSandboxId, makeTaskId } from "../../contracts/ids.ts";
import { refuseUnbuilt, workspaceOf } from "./container-paths.ts";

const ids = { nowMs: () => 1, randomBytes: () => new Uint8Array(6) };
const project = "/home/me/project";

function spec(paths: Partial<PathPolicy> = {}, projectDirectory = project): SandboxSpec {
  return {
    taskId: makeTaskId(ids),
    sandboxId: makeSandboxId(ids),
    projectDirectory,
    privateDirectory: "/private",
    paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [projectDirectory], denyWrite: [], ...paths },
    environment: {},
    limits: roomyLimits,
    user: { uid: 1000, gid: 1000, name: "me", home: "/home/me" },
  };
}

const glob = (text: string): PathGlob => ({
  text,
  segments: text
    .slice(1)
    .split("/")
    .map((part) => ({ kind: part === "**" ? "any" : part.includes("*") ? "glob" : "literal", text: part === "**" ? "" : part })),
});

test("workspaceOf() is the project, writable when a write root covers it", () => {
  assert.deepEqual(workspaceOf(spec()), { path: project, isWritable: true });
  assert.deepEqual(workspaceOf(spec({ allowWrite: [] })), { path: project, isWritable: false });
  assert.deepEqual(workspaceOf(spec({ denyWrite: [project] })), { path: project, isWritable: false });
});

test("workspaceOf() takes denials that a container holds by absence, and openings that show nothing of the host", () => {
  const paths = {
    denyRead: ["/home/me/.ssh", "/etc/shadow"],
    denyReadGlobs: [glob("/home/me/**/.env")],
    allowRead: [`${project}/sub`, "/usr/lib"],
  };
  assert.equal(workspaceOf(spec(paths)).path, project);
});

test("workspaceOf() refuses what a container cannot hold, by name", () => {
  const rows: readonly (readonly [situation: string, paths: Partial<PathPolicy>, directory?: string])[] = [
    ["container.host-path", { allowWrite: [project, "/srv/out"] }],
    ["container.host-path", { allowWrite: [`${project}/build`] }],
    ["container.denied-program", { denyRead: ["/usr/bin/python3"] }],
    ["container.denied-program", { denyRead: ["/"] }],
    ["container.denied-program", { denyReadGlobs: [glob("/**/.env")] }],
    ["container.denied-program", { denyReadGlobs: [glob("/usr/share/*.pem")] }],
    ["container.deny-write", { denyWrite: [`${project}/vendor`] }],
    ...["/", "/usr", "/usr/src/x", "/etc", "/proc/1", "/tmp", "/home", "/home/user", "/home/user/p", "/run/glovebox", "/dev/shm/p"].map(
      (directory) => ["container.project-place", {}, directory] as const,
    ),
  ];
  for (const [situation, paths, directory] of rows)
    assert.throws(
      () => workspaceOf(spec(paths, directory)),
      { code: "PATH_RULE_UNENFORCEABLE", situation },
      JSON.stringify([paths, directory]),
    );
});

test("refuseUnbuilt() names what nothing would keep", () => {
  assert.doesNotThrow(() => refuseUnbuilt(spec()));
  assert.throws(() => refuseUnbuilt({ ...spec(), nestedNamespaces: true }), {
    code: "WALL_UNAVAILABLE",
    values: { key: "nestedNamespaces" },
  });
});
