// Tests where state lies, and that directories which others can reach are refused.
import assert from "node:assert/strict";
import { chmod, mkdtemp, mkdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { lackOfRoom, prepareState, stateLayout } from "./state-layout.ts";

const { uid } = userInfo();

test("stateLayout() keeps root's state in /var/lib and a user's below their home", () => {
  assert.equal(stateLayout({ uid: 0, home: "/root" }, {}).state, "/var/lib/glovebox");
  assert.equal(stateLayout({ uid: 1000, home: "/home/a" }, {}).state, "/home/a/.local/state/glovebox");
});

test("stateLayout() ignores a relative XDG_STATE_HOME, which a project could have set", () => {
  assert.equal(stateLayout({ uid: 1000, home: "/home/a" }, { XDG_STATE_HOME: "./here" }).state, "/home/a/.local/state/glovebox");
});

test("prepareState() makes every directory private and refuses one that others can reach", async (t) => {
  const base = await mkdtemp(path.join(tmpdir(), "glovebox-state-"));
  t.after(() => rm(base, { recursive: true }));
  const layout = stateLayout({ uid, home: base }, { XDG_STATE_HOME: path.join(base, "s") });
  prepareState(layout, uid);
  assert.equal((await stat(layout.tasks)).mode & 0o777, 0o700);
  await chmod(layout.tasks, 0o755);
  assert.throws(
    () => prepareState(layout, uid),
    (error) => error instanceof GloveboxError && error.code === "STATE_INSECURE",
  );
});

test("prepareState() refuses a link in place of the state directory", async (t) => {
  const base = await mkdtemp(path.join(tmpdir(), "glovebox-state-"));
  t.after(() => rm(base, { recursive: true }));
  await mkdir(path.join(base, "elsewhere"), { mode: 0o700 });
  await symlink(path.join(base, "elsewhere"), path.join(base, "glovebox"));
  const layout = stateLayout({ uid, home: base }, { XDG_STATE_HOME: base });
  assert.throws(
    () => prepareState(layout, uid),
    (error) => error instanceof GloveboxError && error.code === "STATE_INSECURE",
  );
});

test("prepareState() says LEDGER_UNWRITABLE when a directory cannot be made", async () => {
  const layout = stateLayout({ uid, home: "/" }, { XDG_STATE_HOME: "/proc/nowhere" });
  assert.throws(
    () => prepareState(layout, uid),
    (error) => error instanceof GloveboxError && error.code === "LEDGER_UNWRITABLE",
  );
});

test("prepareState() refuses a place where everybody could put another state", async (t) => {
  const base = await mkdtemp(path.join(tmpdir(), "glovebox-state-"));
  t.after(() => rm(base, { recursive: true }));
  const layout = stateLayout({ uid, home: base }, { XDG_STATE_HOME: path.join(base, "open/deeper") });
  await mkdir(path.join(base, "open"));
  await chmod(path.join(base, "open"), 0o777);
  assert.throws(
    () => prepareState(layout, uid),
    (error) => error instanceof GloveboxError && error.code === "STATE_INSECURE",
  );
  await chmod(path.join(base, "open"), 0o1777);
  prepareState(layout, uid);
});

test("lackOfRoom() tells a disk without room from one without inodes, and takes one that counts none", () => {
  const room = { bavail: 1024, bsize: 4096, files: 1000, ffree: 500 };
  assert.equal(lackOfRoom("/s", room), undefined);
  assert.equal(lackOfRoom("/s", { ...room, files: 0, ffree: 0 }), undefined);
  assert.equal(lackOfRoom("/s", { ...room, bavail: 255 })?.situation, "state.no-room");
  assert.equal(lackOfRoom("/s", { ...room, ffree: 15 })?.situation, "state.no-inodes");
});
