// parseProbe(): the lines of `guard probe`, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProbe } from "./probe-output.ts";

const lines = [
  "version=1",
  "arch=x86_64",
  "test_build=no",
  "landlock_abi=7",
  "landlock_abi_min=6",
  "seccomp=yes",
  "seccomp_notify=yes",
  "userns=no",
  "pidfd=yes",
];

test("parseProbe() reads what a guard prints", () => {
  assert.deepEqual(parseProbe(`${lines.join("\n")}\n`), {
    version: 1,
    arch: "x86_64",
    isTestBuild: false,
    landlockAbi: 7,
    hasSeccomp: true,
    hasSeccompNotify: true,
    hasUserNamespaces: false,
    hasPidfd: true,
  });
});

test("parseProbe() gives nothing for output that lacks a line or holds another word", () => {
  for (const missing of lines.filter((line) => line !== "landlock_abi_min=6")) {
    assert.equal(parseProbe(lines.filter((line) => line !== missing).join("\n")), undefined, missing);
  }
  assert.equal(parseProbe(lines.join("\n").replace("userns=no", "userns=maybe")), undefined);
  assert.equal(parseProbe(""), undefined);
});
