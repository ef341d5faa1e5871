// The container boundary through the suite, with each runtime: real containers, as whoever runs the test.
import path from "node:path";
import { test } from "node:test";
import { openContainerBoundary, runtimeNames } from "../boundaries/container/container.ts";
import { conformanceCases, judgeCase, posixDialect } from "./conformance.ts";
import { deviationsOf } from "./deviations.ts";
import { makeHostSpec } from "./host-spec.ts";

const build = path.join(import.meta.dirname, "..", "..", "build");
/** What it may hold is another test's: test/e2e/container-document.test.ts. */
const refuseOpenDocument = (): void => {};

for (const runtime of runtimeNames) {
  const built = (name: string): string => path.join(build, name);
  const paths = { guardPath: built("guard"), launcherPath: built("launcher"), captivePath: built("captive") };
  const boundary = openContainerBoundary({ runtime, ...paths, refuseOpenDocument });
  const target = { name: `container/${runtime}`, boundary, dialect: posixDialect, makeSpec: makeHostSpec };
  for (const one of conformanceCases) {
    test(`${target.name} boundary: ${one.name}`, async () => {
      await judgeCase(one, target, deviationsOf[`container/${runtime}`]);
    });
  }
}
