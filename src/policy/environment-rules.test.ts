// Names that pass and names that never do.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { coversName, forbiddenBy, matchesName, neverPassed, passedEnvironment } from "./environment-rules.ts";

test("passedEnvironment() passes listed names and nothing else", () => {
  const caller = { LANG: "C", LC_ALL: "C", LC: "no", AWS_SECRET_ACCESS_KEY: "canary", TERM: undefined };
  assert.deepEqual(passedEnvironment(["LANG", "LC_*", "TERM"], caller), { LANG: "C", LC_ALL: "C" });
  assert.deepEqual(passedEnvironment([], caller), {});
});

test("passedEnvironment() holds back names that never pass even when a pattern would let them in", () => {
  const names = neverPassed.map((name) => name.replace("*", "X"));
  assert.ok(names.length > 20);
  const caller = Object.fromEntries([...names, "FINE"].map((name) => [name, "value"]));
  const all = Object.keys(caller).map((name) => `${name.slice(0, 1)}*`);
  assert.deepEqual(passedEnvironment(all, caller), { FINE: "value" });
});

test("forbiddenBy() finds patterns that would let a forbidden name in", () => {
  for (const pattern of ["LD_PRELOAD", "LD_*", "L*", "GLOVEBOX_TOKEN", "PATH", "P*", "SSH_AUTH_SOCK", "NODE_*", "BASH_FUNC_*"]) {
    assert.ok(forbiddenBy(pattern) !== undefined, pattern);
  }
  for (const pattern of ["LANG", "LC_*", "TERM", "TZ", "CI", "NODE_ENV", "RUST_*", "PYTHONUNBUFFERED"])
    assert.equal(forbiddenBy(pattern), undefined, pattern);
});

const name = fc.stringMatching(/^[AB_]{1,4}$/u);
const pattern = fc.oneof(
  name,
  name.map((text) => `${text}*`),
);

test("coversName() holds exactly when every matched name is matched", () => {
  fc.assert(
    fc.property(pattern, pattern, name, (outer, inner, sample) => {
      if (coversName(outer, inner) && matchesName(inner, sample)) assert.ok(matchesName(outer, sample));
      if (!inner.endsWith("*")) assert.equal(coversName(outer, inner), matchesName(outer, inner));
    }),
  );
});
