// nearestName() suggests only what is close.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName } from "./nearest-name.ts";

const known = ["policy", "project", "allow-write", "allow-read", "json"];

test("nearestName() finds a name with few edits, whatever its case", () => {
  assert.equal(nearestName("polcy", known), "policy");
  assert.equal(nearestName("jsno", known), "json");
  assert.equal(nearestName("alow-wriet", known), "allow-write");
  assert.equal(nearestName("JSON", known), "json");
});

test("nearestName() suggests nothing when nothing is close, or the name is absurd", () => {
  assert.equal(nearestName("frobnicate", known), undefined);
  assert.equal(nearestName("", known), undefined);
  assert.equal(nearestName("p".repeat(100_000), known), undefined);
});
