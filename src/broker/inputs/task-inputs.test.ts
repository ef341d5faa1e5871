// readableRule(): what is not handed in, by what the policy says of reading it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PathPolicy } from "../../contracts/boundary.ts";
import { readableRule } from "./task-inputs.ts";

const layout = { state: "/state/glovebox", runtime: "/run/glovebox" };
const paths: PathPolicy = {
  readDefault: "system",
  allowRead: ["/data"],
  denyRead: ["/data/secret"],
  allowWrite: ["/project"],
  denyWrite: [],
};

test("readableRule() lets what no rule opens be handed in, except under a floor", () => {
  const free = readableRule(layout, { paths, document: {} });
  const floored = readableRule(layout, { paths, document: { floor: true } });
  for (const place of ["/elsewhere/file", "/data/file"]) free(place);
  floored("/data/file");
  const refused = { code: "POLICY_DENIED", situation: "input.floor", values: { path: "/elsewhere/file" } };
  assert.throws(() => floored("/elsewhere/file"), refused);
});

test("readableRule() refuses what is denied and our own state, with a floor or without", () => {
  for (const document of [{}, { floor: true }]) {
    const rule = readableRule(layout, { paths, document });
    assert.throws(() => rule("/data/secret/file"), { code: "POLICY_DENIED", situation: "input.denied" });
    for (const own of ["/state/glovebox", "/run/glovebox/door"])
      assert.throws(() => rule(own), { code: "INPUT_REFUSED", situation: "input.own-state" });
  }
});
