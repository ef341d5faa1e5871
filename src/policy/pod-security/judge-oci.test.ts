// Every control over OCI runtime specs: what passes, what does not, and that the patch mends it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PolicyError } from "../../contracts/policy-error.ts";
import { dottedKey } from "../key-path.ts";
import { applyPatch } from "./testing/apply-patch.ts";
import { goodSpec } from "./testing/oci.ts";
import { ociCases } from "./testing/oci-cases.ts";
import { judgeData, type Path, summaries, withValue } from "./testing/pods.ts";

test("judgeSpec() passes a runtime spec that keeps every control", () => {
  assert.deepEqual(summaries(judgeData(goodSpec())), []);
});

test("judgeSpec() passes good values of every control in a runtime spec", () => {
  for (const { at, good } of ociCases) {
    for (const value of good)
      assert.deepEqual(summaries(judgeData(withValue(goodSpec(), at, value))), [], `${dottedKey(at)} = ${JSON.stringify(value)}`);
  }
});

test("judgeSpec() names bad values of every control in a runtime spec, and the patch mends them", () => {
  for (const { control, level, at, told, bad, isUnpatched } of ociCases) {
    for (const value of bad) {
      const document = withValue(goodSpec(), at, value);
      const report = judgeData(document);
      assert.deepEqual(summaries(report), [`${control} ${level} ${dottedKey(told ?? at)}`], `${dottedKey(at)} = ${JSON.stringify(value)}`);
      const [patch] = report.objects.flatMap(({ violations }) => violations.map((violation) => violation.patch));
      assert.deepEqual(report.patches, isUnpatched ? [] : [{ document: 0, patch }]);
      if (!isUnpatched) assert.deepEqual(summaries(judgeData(applyPatch(document, patch ?? []))), [], JSON.stringify(patch));
      assert.equal(summaries(judgeData(document, "baseline", true)).length, level === "baseline" ? 1 : 0);
    }
  }
});

test("judgeSpec() asks for device rules where the kernel does not close devices by a user namespace", () => {
  const rules = ["linux", "resources", "devices"];
  const shared = goodSpec().linux.namespaces.filter(({ type }) => type !== "user");
  const bare = withValue(goodSpec(), rules, undefined);
  assert.deepEqual(summaries(judgeData(bare)), []);
  const open = withValue(bare, ["linux", "namespaces"], shared);
  const report = judgeData(open);
  assert.deepEqual(summaries(report), ["privileged baseline linux.resources.devices"]);
  assert.deepEqual(summaries(judgeData(applyPatch(open, report.patches[0]?.patch ?? []))), []);
});

test("judgeSpec() mends everything at once that is not for the author alone", () => {
  // Each row once, except where a later one would take an earlier one's place away.
  const rows = ociCases.filter(({ at, isUnpatched }) => !isUnpatched && (at[0] !== "mounts" || at[1] !== 5));
  const document = rows.reduce<unknown>((current, { at, bad }) => withValue(current, at, bad.at(-1)), goodSpec());
  const report = judgeData(document);
  assert.ok(summaries(report).length > 12);
  const patched = report.patches.reduce<unknown>((current, { patch }) => applyPatch(current, patch), document);
  assert.deepEqual(summaries(judgeData(patched)), []);
});

test("judgeSpec() refuses a runtime spec of which a part is missing, foreign, of another type, or spelt as only some readers take it", () => {
  const cases: readonly (readonly [Path, unknown, string])[] = [
    [["process"], undefined, "pod-security.section-missing"],
    [["linux"], null, "pod-security.section-missing"],
    [["root"], undefined, "pod-security.section-missing"],
    [["windows"], {}, "pod-security.section-foreign"],
    [["vm"], {}, "pod-security.section-foreign"],
    [["kind"], "Pod", "pod-security.kind-unknown"],
    [["process", "noNewPrivileges"], "true", "pod-security.wrong-type"],
    [["process", "capabilities"], [], "pod-security.wrong-type"],
    [["mounts"], {}, "pod-security.wrong-type"],
    [["mounts", 0], null, "pod-security.null-item"],
    [["process", "user", "uid"], "0", "pod-security.wrong-type"],
    [["Process"], { user: { uid: 0 } }, "pod-security.letter-case"],
    [["process", "NoNewPrivileges"], false, "pod-security.letter-case"],
    [["proce\u017Fs"], {}, "pod-security.letter-case"],
    [["linux", "masKedPaths"], [], "pod-security.letter-case"],
    [["linux", "mas\u212AedPaths"], [], "pod-security.letter-case"],
  ];
  for (const [at, value, situation] of cases) {
    assert.throws(
      () => judgeData(withValue(goodSpec(), at, value)),
      (error) =>
        error instanceof PolicyError &&
        error.code === "SPEC_UNREADABLE" &&
        error.problems.some((problem) => problem.situation === situation),
      `${dottedKey(at)} ${situation}`,
    );
  }
});
