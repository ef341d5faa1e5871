// Places are confirmed as the plan saw them; a rule that is not where it was refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { confirmPlaces } from "./confirm-places.ts";
import { textTree } from "./text-tree.ts";
import type { View } from "./view.ts";

const view: View = {
  places: [
    { path: "/work", kind: "directory", access: "write", identity: "/work", around: "absent" },
    { path: "/work/a/b/secret", kind: "file", access: "hidden", identity: "/work/a/b/secret", around: "write" },
  ],
  pins: [
    { path: "/work/a", identity: "/work/a" },
    { path: "/work/a/b", identity: "/work/a/b" },
  ],
  closed: [],
  holes: [],
  later: [],
  unmade: [],
};
const planned = { view, ledTo: new Map([["/work/a/b/secret", "/work/a/b/secret"]]) };
const files = { "/work/a/b/secret": "", "/elsewhere/b/secret": "" };
const inside = { "/in/work/a/b/secret": "" };
const mounted = {
  "/in/work": { identity: "/work" },
  "/in/work/a": { identity: "/work/a" },
  "/in/work/a/b": { identity: "/work/a/b" },
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
    refusedPath(() => confirmPlaces(planned, textTree(files, { "/work/a/b": { identity: "other" } }), "")),
    "/work/a/b",
  );
});

test("confirmPlaces() refuses a pin that was mounted from elsewhere", () => {
  const tree = textTree({ ...files, ...inside }, { ...mounted, "/in/work/a": { identity: "/elsewhere" } });
  assert.equal(
    refusedPath(() => confirmPlaces(planned, tree, "/in")),
    "/work/a",
  );
});

test("confirmPlaces() refuses when a path that the policy names led elsewhere while it was planned", () => {
  const moved = { view: { ...view, places: [], pins: [] }, ledTo: new Map([["/work/a/b/secret", "/elsewhere/b/secret"]]) };
  assert.equal(
    refusedPath(() => confirmPlaces(moved, textTree(files), "")),
    "/work/a/b/secret",
  );
  const link = textTree({ "/elsewhere/b/secret": "", "/work/a": "-> ../elsewhere" });
  assert.equal(
    refusedPath(() => confirmPlaces(moved, link, "")),
    undefined,
  );
});
