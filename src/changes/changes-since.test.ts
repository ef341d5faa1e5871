// changesSince(): a path that was changed before the checkpoint, after it, at both times, or back again.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change, ChangeList, PathState } from "../contracts/changes.ts";
import { changesSince } from "./changes-since.ts";

const file = (content: string, mode = 0o644): PathState => ({
  type: "file",
  mode,
  size: content.length,
  sha256: Buffer.from(content.padEnd(32)).toString("hex").slice(0, 64),
});
const kept = { offset: 10, length: 1 };

function change(path: string, before: PathState | undefined, after: PathState | undefined, more: Partial<Change> = {}): Change {
  const kind = before === undefined ? "created" : after === undefined ? "deleted" : "changed";
  return { path, kind, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }), commands: [1], ...more };
}

function list(...changes: readonly Change[]): ChangeList {
  return { format: 1, roots: [{ path: "/w", identity: "1:2" }], changes: [...changes], missed: 0 };
}

const [one, two, three] = [file("one"), file("two"), file("three")];

test("changesSince() leaves a path alone that was changed only before the checkpoint", () => {
  const same = change("/w/a", one, two, { kept });
  assert.deepEqual(changesSince(list(same), list(same), 100).changes, []);
});

test("changesSince() takes a path as it is in the whole list when it was changed only after the checkpoint", () => {
  const later = change("/w/a", one, two, { kept, renamedFrom: "/w/z" });
  assert.deepEqual(changesSince(list(later), list(), 100).changes, [later]);
});

test("changesSince() begins with the state and the bytes of the checkpoint where a path was changed at both times", () => {
  const end = list(change("/w/a", one, three, { commands: [1, 2], runsLater: true }));
  assert.deepEqual(changesSince(end, list(change("/w/a", one, two, { kept })), 100).changes, [
    {
      path: "/w/a",
      kind: "changed",
      before: two,
      after: three,
      kept: { offset: 110, length: 1 },
      runsLater: true,
      commands: [1, 2],
    },
  ]);
});

test("changesSince() knows what is back as it was before the task", () => {
  const at = list(change("/w/changed", one, two, { kept }), change("/w/made", undefined, two, { kept }), change("/w/gone", one, undefined));
  assert.deepEqual(
    changesSince(list(), at, 0).changes.map(({ path, kind, before, after }) => [path, kind, before, after]),
    [
      ["/w/changed", "changed", two, one],
      ["/w/gone", "created", undefined, one],
      ["/w/made", "deleted", two, undefined],
    ],
  );
});

test("changesSince() says of a directory or a mode what an undo must do, and counts what either list missed", () => {
  const at = list(change("/w/d", undefined, { type: "directory", mode: 0o755 }), change("/w/m", one, file("two", 0o600), { kept }));
  const end = list(change("/w/d", undefined, { type: "directory", mode: 0o700 }), change("/w/m", one, file("two", 0o755)));
  const { changes, missed } = changesSince({ ...end, missed: 2 }, { ...at, missed: 3 }, 0);
  assert.deepEqual(
    changes.map(({ path, kind, kept: bytes }) => [path, kind, bytes]),
    [
      ["/w/d", "mode", undefined],
      ["/w/m", "mode", undefined],
    ],
  );
  assert.equal(missed, 5);
});
