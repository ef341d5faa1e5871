// Every control over pods, in every kind and container list: what passes, what does not, and that the patch mends it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { dottedKey } from "../key-path.ts";
import { controls } from "./controls.ts";
import { containerLists } from "./pod.ts";
import { applyPatch } from "./testing/apply-patch.ts";
import { podCases, type PodCase } from "./testing/pod-cases.ts";
import { goodTemplate, judgeData, type Kind, kinds, type Path, summaries, withValue } from "./testing/pods.ts";

/** Where a case's place lies in a template. */
function placesOf(row: PodCase): readonly Path[] {
  if (row.in === "pod") return [["spec"]];
  if (row.in === "metadata") return [["metadata"]];
  return (row.lists ?? containerLists).map((list) => ["spec", list, 0]);
}

const [podKind] = kinds;

const everyPlace = podCases.flatMap((row) => placesOf(row).map((place) => ({ row, place })));

const spoilt = (kind: Kind, path: Path, value: unknown): unknown => withValue(kind.wrap(goodTemplate()), [...kind.at, ...path], value);

test("judgeSpec() passes a pod that keeps every control, in every kind", () => {
  for (const kind of kinds) {
    assert.deepEqual(summaries(judgeData(kind.wrap(goodTemplate()))), [], kind.kind);
    assert.deepEqual(summaries(judgeData(kind.wrap(goodTemplate()), "baseline")), [], kind.kind);
  }
});

test("the table has a case that passes and one that fails for every control", () => {
  const covered = new Set(
    podCases.filter(({ good, bad }) => good.length > 0 && bad.length > 0).map(({ control, level }) => `${control} ${level}`),
  );
  const known = new Set(Object.values(controls).map(({ id, level }) => `${id} ${level}`));
  assert.deepEqual([...covered].toSorted(), [...known].toSorted());
});

/** Every value in a pod; in the other kinds, which differ only in where the template lies, the first. */
const valuesIn = ({ kind }: Kind, values: readonly unknown[]): readonly unknown[] => (kind === "Pod" ? values : values.slice(0, 1));

test("judgeSpec() passes good values of every control in every kind and container list", () => {
  const withAll = (kind: Kind, at: Path): unknown =>
    everyPlace.reduce<unknown>(
      (current, { row, place }) => withValue(current, [...at, ...place, ...row.at], row.good[0]),
      kind.wrap(goodTemplate()),
    );
  for (const kind of kinds) {
    assert.deepEqual(summaries(judgeData(withAll(kind, kind.at))), [], kind.kind);
    for (const { row, place } of kind.kind === "Pod" ? everyPlace : []) {
      for (const value of row.good) {
        const path = [...place, ...row.at];
        assert.deepEqual(summaries(judgeData(spoilt(kind, path, value))), [], `${kind.kind} ${dottedKey(path)} = ${JSON.stringify(value)}`);
      }
    }
  }
});

test("judgeSpec() names bad values of every control in every kind and container list, and the patch mends them", () => {
  for (const kind of kinds) {
    for (const { row, place } of everyPlace) {
      for (const value of valuesIn(kind, row.bad)) {
        const document = spoilt(kind, [...place, ...row.at], value);
        const report = judgeData(document);
        const told = dottedKey([...kind.at, ...place, ...(row.told ?? row.at)]);
        assert.deepEqual(summaries(report), [`${row.control} ${row.level} ${told}`], JSON.stringify(value));
        const [patch] = report.objects.flatMap(({ violations }) => violations.map((violation) => violation.patch));
        assert.deepEqual(report.patches, row.isUnpatched ? [] : [{ document: 0, patch }], told);
        // Pointers differ by where the template lies: tried at the top and at the deepest.
        if (row.isUnpatched || !["Pod", "CronJob"].includes(kind.kind)) continue;
        assert.deepEqual(summaries(judgeData(applyPatch(document, patch ?? []))), [], `${told} ${JSON.stringify(patch)}`);
      }
    }
  }
});

test("judgeSpec() asks at Baseline nothing of Restricted, and of the standard alone nothing beyond it", () => {
  for (const { row, place } of everyPlace) {
    for (const value of row.bad) {
      const document = spoilt(podKind, [...place, ...row.at], value);
      assert.equal(summaries(judgeData(document, "baseline", true)).length, row.level === "baseline" ? 1 : 0, row.control);
      assert.equal(summaries(judgeData(document, "restricted", true)).length, row.level === "beyond" ? 0 : 1, row.control);
    }
  }
});

test("property: however many fields are wrong at once, the one patch of the document leaves only what its author must mend", () => {
  const spoiling = fc.record({
    choice: fc.constantFrom(...everyPlace),
    pick: fc.nat(),
  });
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.array(spoiling, { maxLength: 12 }), (kind, all) => {
      const document = all.reduce<unknown>(
        (current, { choice: { row, place }, pick }) =>
          withValue(current, [...kind.at, ...place, ...row.at], row.bad[pick % row.bad.length]),
        kind.wrap(goodTemplate()),
      );
      const patched = judgeData(document).patches.reduce<unknown>((current, { patch }) => applyPatch(current, patch), document);
      const left = judgeData(patched).objects.flatMap(({ violations }) => violations.map(({ control }) => control));
      assert.deepEqual(
        left.filter((control) => control !== "mutableImage"),
        [],
      );
    }),
    { numRuns: 100 },
  );
});

test("judgeSpec() shows no value of a variable", () => {
  const value = "AKIAABCDEFGHIJKLMNOP";
  const report = judgeData(spoilt(podKind, ["spec", "containers", 0, "env", 0], { name: "ANY", value }));
  assert.deepEqual(summaries(report), ["credentialsInEnvironment beyond spec.containers[0].env[0]"]);
  assert.ok(!JSON.stringify(report).includes(value));
});
