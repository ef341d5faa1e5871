// Which files of the host a container shows: those that a policy opens by name, each a file, and none that the container has of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PathPolicy, SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { makeSandboxId, makeTaskId } from "../../contracts/ids.ts";
import { roomyLimits } from "../../contracts/testing/limits.ts";
import { shownFilesOf } from "./shown-files.ts";

const ids = { nowMs: () => 1, randomBytes: () => new Uint8Array(6) };
const template = { root: "", links: [], binds: ["/usr", "/etc/ssl/certs"] };
const files: Readonly<Record<string, string>> = {
  "/etc/corp.pem": "1:2",
  "/etc/passwd": "1:3",
  "/srv/ca.pem": "1:4",
  "/run/secret": "1:5",
  "/etc/ssl/certs/ca.crt": "1:6",
};

function shown(allowRead: readonly string[], more: Partial<PathPolicy> = {}): readonly string[] | string {
  const spec: SandboxSpec = {
    taskId: makeTaskId(ids),
    sandboxId: makeSandboxId(ids),
    projectDirectory: "/srv/project",
    privateDirectory: "/private",
    paths: { readDefault: "system", allowRead, denyRead: [], allowWrite: [], denyWrite: [], ...more },
    environment: {},
    limits: roomyLimits,
    user: { uid: 1000, gid: 1000, name: "me", home: "/home/me" },
  };
  try {
    return shownFilesOf(spec, template, (path) => files[path]).map(({ path, identity }) => `${path} ${identity}`);
  } catch (error) {
    assert.ok(error instanceof GloveboxError);
    return `${error.code} ${error.values["path"]}`;
  }
}

test("shownFilesOf() shows a file that a policy opens by name, and nothing twice", () => {
  assert.deepEqual(shown(["/etc/corp.pem", "/srv/ca.pem", "/etc/ssl/certs/ca.crt", "/usr/share/x", "/srv/project/x"]), [
    "/etc/corp.pem 1:2",
    "/srv/ca.pem 1:4",
  ]);
});

test("shownFilesOf() refuses what is no file, what the container has of its own, and what a rule denies by the same name", () => {
  for (const path of ["/srv", "/srv/absent", "/etc/passwd", "/run/secret", "/"])
    assert.equal(shown([path]), `PATH_RULE_UNENFORCEABLE ${path}`);
  assert.equal(shown(["/srv/ca.pem"], { denyRead: ["/srv/ca.pem"] }), "PATH_RULE_UNENFORCEABLE /srv/ca.pem");
  assert.deepEqual(shown(["/srv/ca.pem"], { denyRead: ["/srv"] }), ["/srv/ca.pem 1:4"]);
});

test("shownFilesOf() refuses what only somebody opens who may only narrow", () => {
  const opened = (openedWithin: readonly (readonly string[])[]) => shown(["/srv/ca.pem"], { openedWithin });
  assert.equal(opened([["/srv/ca.pem"], []]), "PATH_RULE_UNENFORCEABLE /srv/ca.pem");
  assert.deepEqual(opened([["/srv"], ["/srv/ca.pem"]]), ["/srv/ca.pem 1:4"]);
});
