// The rows as data: each says one thing, and the page for the documents says the same.
import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { attacks } from "./attacks.ts";
import { insideConfigurations, mustFail } from "./harness/attack.ts";
import { elsewhere } from "./harness/elsewhere.ts";
import { families } from "./harness/families.ts";
import { renderMatrix } from "./harness/matrix.ts";

test("every attack has a name of its own, a family and a program that exists", async () => {
  assert.equal(new Set(attacks.map((attack) => attack.name)).size, attacks.length);
  for (const { name, families: numbers, program } of attacks) {
    assert.ok(numbers.length > 0, name);
    if ("c" in program) await access(path.join(import.meta.dirname, "programs", `${program.c}.c`));
  }
});

test("every family has an attack", () => {
  const covered = new Set<number>(attacks.flatMap((attack) => attack.families));
  for (const [number, what] of families) assert.ok(covered.has(number), `no attack covers family ${number}: ${what}`);
});

/** Left out: what only other systems have. */
const battery =
  "1 2 3 5 6 7 9 10 11 13 14 15 17 18 19 21 22 23 25 26 27 29 30 31 33 34 35 37 38 39 41 42 43 45 46 47 49 50 51 53 54 55 57 58 61 62 63 65 66 67 69 70 71 73 74 75 77 78 79 81"
    .split(" ")
    .map(Number);

test("every number of the battery has a row, or tests of its own that exist", async () => {
  const covered = new Set<number>([...families.keys(), ...elsewhere.map(({ number }) => number)]);
  assert.deepEqual(
    battery.filter((number) => !covered.has(number)),
    [],
  );
  for (const reference of elsewhere.flatMap(({ tests }) => tests)) {
    const [file = "", name = ""] = reference.split(/: (.*)/su);
    assert.ok((await readFile(path.join(import.meta.dirname, "../..", file), "utf8")).includes(name), reference);
  }
});

test("a row claims a layer only where the suite can show it, and is either held, held together, held anyway, or pending", () => {
  for (const { name, heldBy, heldTogether, heldAnyway, pending } of attacks) {
    const ways = [heldBy.length > 0, heldTogether !== undefined, heldAnyway !== undefined, pending !== undefined].filter(Boolean);
    assert.equal(ways.length, 1, name);
  }
});

test("mustFail() follows the row in every configuration", () => {
  const row = (part: object) => ({
    name: "x",
    families: [1] as const,
    program: { sh: "" },
    stage: () => ({ arguments: [], succeeded: () => false }),
    heldBy: [],
    ...part,
  });
  const verdicts = (part: object) => insideConfigurations.map((name) => mustFail(row(part), name));
  assert.deepEqual(insideConfigurations, ["none", "outer", "inner", "both"]);
  assert.deepEqual(verdicts({ heldBy: ["outer", "inner"] }), [false, true, true, true]);
  assert.deepEqual(verdicts({ heldBy: ["inner"] }), [false, false, true, true]);
  assert.deepEqual(verdicts({ heldBy: ["outer"] }), [false, true, false, true]);
  assert.deepEqual(verdicts({ heldTogether: "because" }), [false, false, false, true]);
  assert.deepEqual(verdicts({ pending: "later" }), [false, false, false, false]);
  assert.deepEqual(verdicts({ heldAnyway: "because" }), [true, true, true, true]);
  assert.equal(mustFail(row({ heldAnyway: "because" }), "outside"), false);
});

test("renderMatrix() has one line for each attack and names what is open", () => {
  const lines = renderMatrix(attacks).split("\n");
  for (const attack of attacks)
    assert.equal(lines.filter((line) => line.startsWith(`| ${attack.name.replaceAll("|", "\\|")} |`)).length, 1, attack.name);
  const open = attacks.filter((attack) => attack.pending !== undefined);
  assert.equal(lines.filter((line) => line.includes("| open until ")).length, open.length);
});
