// The process boundary through the suite: real bubblewrap and guard, as whoever runs the test.
import path from "node:path";
import { test } from "node:test";
import { openProcessBoundary } from "../boundaries/process/process.ts";
import { conformanceCases, type ConformanceTarget, judgeCase, posixDialect } from "./conformance.ts";
import { deviationsOf } from "./deviations.ts";
import { makeHostSpec } from "./host-spec.ts";

const installation = path.join(import.meta.dirname, "..", "..");

const target: ConformanceTarget = {
  name: "process",
  boundary: openProcessBoundary({
    guardPath: path.join(installation, "build/guard"),
    launcherPath: path.join(installation, "build/launcher"),
    maskerPath: path.join(installation, "build/masker"),
    captivePath: path.join(installation, "build/captive"),
    protectedPaths: [{ path: installation, access: "read-only" }],
  }),
  dialect: posixDialect,
  makeSpec: makeHostSpec,
};

for (const one of conformanceCases) {
  test(`process boundary: ${one.name}`, async () => {
    await judgeCase(one, target, deviationsOf.process);
  });
}
