// Which directories hold which, by name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { holdsDirectory } from "./holds-directory.ts";

test("holdsDirectory() knows itself, what lies above and the root, and no name that only begins alike", () => {
  const home = "/home/me";
  for (const outer of ["/", "/home", "/home/me"]) assert.equal(holdsDirectory(outer, home), true, outer);
  for (const outer of ["/home/m", "/home/me/project", "/var"]) assert.equal(holdsDirectory(outer, home), false, outer);
});
