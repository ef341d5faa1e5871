// No container starts by a document that is more open than Restricted: our own passes, and with anything of the host in it nothing is made.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { openContainerBoundary, runtimeNames } from "../../src/boundaries/container/container.ts";
import { makeHostSpec } from "../../src/conformance/host-spec.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { openSpecRefuser } from "../../src/policy/policy.ts";
import { withValue } from "../../src/policy/pod-security/testing/pods.ts";

const build = path.join(import.meta.dirname, "../../build");
const refuse = await openSpecRefuser({ isRootInside: true });
const bind = (source: string) => ({ destination: "/mnt", type: "bind", source, options: ["rbind", "ro"] });

const openings = [
  { what: "a hook, which runs outside", at: ["hooks"], value: { prestart: [{ path: "/bin/true" }] } },
  { what: "a path of the host", at: ["mounts", 4], value: bind("/etc") },
  { what: "the socket of an engine", at: ["mounts", 4], value: bind("/var/run/docker.sock") },
  { what: "the network of the host", at: ["linux", "namespaces", 3], value: { type: "network", path: "/proc/1/ns/net" } },
  { what: "no network of its own", at: ["linux", "namespaces", 3], value: { type: "time" } },
  { what: "an added capability", at: ["process", "capabilities", "bounding"], value: ["CAP_SYS_ADMIN"] },
  { what: "a device of the host", at: ["linux", "devices"], value: [{ path: "/dev/sda", type: "b", major: 8, minor: 0 }] },
  { what: "new privileges", at: ["process", "noNewPrivileges"], value: false },
  { what: "no filter of calls", at: ["linux", "seccomp"], value: undefined },
] as const;

for (const runtime of runtimeNames) {
  for (const { what, at, value } of openings) {
    test(`container/${runtime}: a document with ${what} is refused before anything is made`, async () => {
      let isOwnFine = false;
      const boundary = openContainerBoundary({
        runtime,
        guardPath: path.join(build, "guard"),
        launcherPath: path.join(build, "launcher"),
        captivePath: path.join(build, "captive"),
        refuseOpenDocument: (document, given) => {
          refuse(document, given);
          isOwnFine = true;
          refuse(withValue(document, at, value), given);
        },
      });
      const made: string[] = [];
      const { spec, release } = await makeHostSpec({});
      try {
        const opening = boundary.open(spec, {
          signal: new AbortController().signal,
          journal: async ({ kind, name }) => void made.push(`${kind} ${name}`),
        });
        await assert.rejects(opening, (error) => error instanceof GloveboxError && error.code === "SPEC_TOO_OPEN");
        assert.deepEqual([isOwnFine, made], [true, []]);
      } finally {
        await release();
      }
    });
  }
}
