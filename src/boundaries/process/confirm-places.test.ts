// Places are confirmed as the plan saw them; a rule that is not where it was refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { confirmPlaces } from "./confirm-places.ts";
import { textTree } from "./text-tree.ts";
import type { View } from "./view.ts";

const view: View = {
  places: [
    { path: "/project", kind: "directory", access: "write", identity: "/project", around: "absent" },
    { path: "/project/a/b/secret", kind: "file", access: "hidden", identity: "/project/a/b/secret", around: "write" },
  ],
  pins: [
    { path: "/project/a", identity: "/project/a" },
    { path: "/project/a/b", identity: "/project/a/b" },
  ],
  closed: [],
  holes: [],
  later: [],
  unmade: [],
};
const planned = { view, ledTo: new Map([["/project/a/b/secret", "/project/a/b/secret"]]) };
const files = { "/project/a/b/secret": "", "/elsewhere/b/secret": "" };
const inside = { "/in/project/a/b/secret": "" };
const mounted = {
  "/in/project": { identity: "/project" },
  "/in/project/a": { identity: "/project/a" },
  "/in/project/a/b": { identity: "/project/a/b" },
};

const refusedPath = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof GloveboxError && error.code === "SANDBOX_OPEN_FAILED");
    return error.values["path"];
  }
  return undefined;
};

test("confirmPlaces() accepts what was planned, as the host sees it and inside", () => {
  assert.equal(
    refusedPath(() => confirmPlaces(planned, textTree(files), "")),
    undefined,
  );
  assert.equal(
    refusedPath(() => confirmPlaces(planned, textTree({ ...files, ...inside }, mounted), "/in")),
    undefined,
  );
});

test("confirmPlaces() refuses a pin that is another directory now", () => {
  assert.equal(
    refusedPath(() => confirmPlaces(planned, textTree(files, { "/project/a/b": { identity: "other" } }), "")),
    "/project/a/b",
  );
});

test("confirmPlaces() refuses a pin that was mounted from elsewhere", () => {
  const tree = textTree({ ...files, ...inside }, { ...mounted, "/in/project/a": { identity: "/elsewhere" } });
  assert.equal(
    refusedPath(() => confirmPlaces(planned, tree, "/in")),
    "/project/a",
  );
});

test("confirmPlaces() refuses when a path that the policy names led elsewhere while it was planned", () => {
  const moved = { view: { ...view, places: [], pins: [] }, ledTo: new Map([["/project/a/b/secret", "/elsewhere/b/secret"]]) };
  assert.equal(
    refusedPath(() => confirmPlaces(moved, textTree(files), "")),
    "/project/a/b/secret",
  );
  const link = textTree({ "/elsewhere/b/secret": "", "/project/a": "-> ../elsewhere" });
  assert.equal(
    refusedPath(() => confirmPlaces(moved, link, "")),
    undefined,
  );
});
