// `glovebox policy pss`: what is asked of the door, both forms of the answer, and the exit codes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { fakePodSecurity } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const passing = { ...fakePodSecurity, objects: fakePodSecurity.objects.map((object) => ({ ...object, violations: [] })), patches: [] };

test("policy pss names each violation with path, value, rule and patch, and exits 120", async () => {
  const call = await callCli(["policy", "pss", "pod.yaml"], { cwd: "/usr" });
  assert.equal(call.code, 120);
  assert.deepEqual(call.out().split("\n"), [
    "Pod web: 2 violations",
    "/usr/pod.yaml:7: spec.hostPID is true: Host Namespaces (baseline)",
    "  allowed: absent, false",
    '  patch: [{"op":"remove","path":"/spec/hostPID"}]',
    "/usr/pod.yaml:9: spec.containers[0].image is web\\x07:latest: Mutable Image (beyond the standard)",
    "  by digest (name@sha256:...): ask its registry for the digest that the tag stands for now",
    "  no patch: only its author can know what to write",
    "Service web: holds no pod",
    "",
  ]);
  assert.equal(call.err(), "/usr/pod.yaml: 2 violations of restricted\n");
  assert.deepEqual(call.door.calls, [
    { method: "judgePodSecurity", values: [{ file: "/usr/pod.yaml", level: "restricted", isStandardOnly: false }] },
  ]);
});

test("policy pss --json gives the same as data", async () => {
  const call = await callCli(["policy", "pss", "pod.yaml", "--level", "baseline", "--standard-only", "--json"], { cwd: "/usr" });
  assert.equal(call.code, 120);
  const report: unknown = JSON.parse(call.out());
  const [first] = fakePodSecurity.objects;
  assert.ok(first !== undefined);
  assert.deepEqual(report, {
    file: "/usr/pod.yaml",
    level: "restricted",
    standardOnly: false,
    passes: false,
    objects: [
      {
        kind: "Pod",
        name: "web",
        document: 0,
        judged: true,
        violations: first.violations.map((violation, index) => ({
          ...violation,
          title: ["Host Namespaces", "Mutable Image"][index],
          rule: ["allowed: absent, false", "by digest (name@sha256:...): ask its registry for the digest that the tag stands for now"][
            index
          ],
        })),
      },
      { kind: "Service", name: "web", document: 1, judged: false, violations: [] },
    ],
    patches: fakePodSecurity.patches,
  });
  assert.deepEqual(call.door.calls[0]?.values, [{ file: "/usr/pod.yaml", level: "baseline", isStandardOnly: true }]);
});

test("policy pss exits 0 only for a file that was judged and passes", async () => {
  const call = await callCli(["policy", "pss", "pod.yaml"], { cwd: "/usr", door: { judgePodSecurity: async () => passing } });
  assert.equal(call.code, 0);
  assert.equal(call.out(), "Pod web: passes\nService web: holds no pod\n");
  const refused = await callCli(["policy", "pss", "pod.yaml"], {
    door: {
      judgePodSecurity: async () => {
        throw new GloveboxError("SPEC_UNREADABLE", "pod-security.file-missing", { values: { file: "x" } });
      },
    },
  });
  assert.equal(refused.code, 2);
});

test("policy pss refuses a level that the standard does not have", async () => {
  for (const level of ["privileged", "Restricted"]) {
    const call = await callCli(["policy", "pss", "pod.yaml", "--level", level]);
    assert.equal(call.code, 2);
    assert.equal(call.doorOpened, 0);
    assert.match(call.err(), /baseline, restricted/u);
  }
});
