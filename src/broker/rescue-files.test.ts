// rescuedPaths(): only what ends with the container is read, whatever the words say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rescuedPaths } from "./rescue-files.ts";

const project = "/src/project";
const places = [project, "/home/user", "/tmp"];

test("rescuedPaths() takes what lies at or below a place, from the project on", () => {
  const asked = ["a", "./b/../c/", "/tmp", "/home/user/x", ".", "/tmp/../home/user"];
  const found = ["/src/project/a", "/src/project/c", "/tmp", "/home/user/x", project, "/home/user"];
  assert.deepEqual(rescuedPaths(project, places, asked), found);
});

test("rescuedPaths() refuses what leads elsewhere, and names where it may lead", () => {
  for (const path of ["..", "/", "/tmpx", "/tmp/../etc", "", "a\0b", "/src/project2", "/home/user2/x"])
    assert.throws(() => rescuedPaths(project, places, [path]), { code: "ARTIFACT_UNKNOWN", values: { path, places: places.join(", ") } });
});
