// The bundle that set-up makes, and the compiled code that a start leaves beside it: faster, and never another program.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type MiniatureClone, openMiniatureClone } from "../fixtures/miniature-clone.ts";

function glovebox(clone: MiniatureClone, ...args: readonly string[]): string {
  const env = { PATH: `${clone.bin}:/usr/bin:/bin`, HOME: clone.root, LANG: "C" };
  const ended = spawnSync(path.join(clone.root, "glovebox"), args, { encoding: "utf8", env, timeout: 60_000 });
  assert.equal(ended.status, 0, ended.stderr);
  return ended.stdout;
}

const caches = (clone: MiniatureClone): readonly string[] => {
  const directory = path.join(clone.root, "bundle");
  return readdirSync(directory)
    .filter((name) => name.endsWith(".cache"))
    .map((name) => path.join(directory, name));
};

/** Every program is as long as every other: V8 would take the code of one for the other's. */
function placeProgram(clone: MiniatureClone, answer: string): void {
  writeFileSync(path.join(clone.root, "src/main.ts"), `const answer = () => ${JSON.stringify(answer)};\nconsole.log(answer());\n`);
  assert.equal(answer.length, 3);
}

test("./glovebox keeps the code that a run compiled, and the next start takes it", () => {
  using clone = openMiniatureClone();
  placeProgram(clone, "one");
  glovebox(clone, "setup", "--yes");
  assert.equal(glovebox(clone, "explain"), "one\n");
  assert.deepEqual(caches(clone), [], "what another subcommand used would keep out what a run uses");
  assert.equal(glovebox(clone, "run", "--", "true"), "one\n");
  const [cache = "", ...others] = caches(clone);
  assert.deepEqual(others, []);
  const code = readFileSync(cache);
  assert.equal(glovebox(clone, "run", "--", "true"), "one\n");
  assert.deepEqual(readFileSync(cache), code, "a cache that V8 refused would have been made again");
});

test("what a long run used only at its start is in the code that it keeps", () => {
  using clone = openMiniatureClone();
  const program = `process.getBuiltinModule("node:v8").setFlagsFromString("--gc-global");
const early = () => console.log("only at the start");
early();
for (let bytes = 0; bytes < 2 ** 29; bytes += 8000) new Array(1000).fill(bytes);
`;
  writeFileSync(path.join(clone.root, "src/main.ts"), program);
  glovebox(clone, "setup", "--yes");
  assert.equal(glovebox(clone, "run", "--", "true"), "only at the start\n");
  const [cache = ""] = caches(clone);
  assert.ok(readFileSync(cache).includes("only at the start"), "V8 dropped the function's code before the end of the run");
});

test("./glovebox runs the bundle whatever lies in the place of its compiled code", () => {
  using clone = openMiniatureClone();
  placeProgram(clone, "one");
  glovebox(clone, "setup", "--yes");
  glovebox(clone, "run", "--", "true");
  const [cache = ""] = caches(clone);
  for (const bytes of [Buffer.alloc(0), Buffer.from("not code"), readFileSync(cache).subarray(0, 100)]) {
    writeFileSync(cache, bytes);
    assert.equal(glovebox(clone, "run", "--", "true"), "one\n");
    assert.equal(glovebox(clone, "run", "--", "true"), "one\n");
  }
});

test("./glovebox never takes the code of an earlier bundle for a later one", () => {
  using clone = openMiniatureClone();
  placeProgram(clone, "one");
  glovebox(clone, "setup", "--yes");
  glovebox(clone, "run", "--", "true");
  placeProgram(clone, "two");
  assert.equal(glovebox(clone, "run", "--", "true"), "two\n", "from the sources, as long as the bundle is older");
  glovebox(clone, "setup", "--yes");
  assert.equal(glovebox(clone, "run", "--", "true"), "two\n");
  // Also when the old bundle's file is written over, with its code still beside it.
  const bundle = path.join(clone.root, "bundle/main.cjs");
  writeFileSync(bundle, readFileSync(bundle, "utf8").replace("two", "six"));
  assert.equal(glovebox(clone, "run", "--", "true"), "six\n");
});

test("./glovebox runs the sources as soon as one that the bundle was made from has changed or is gone", () => {
  using clone = openMiniatureClone();
  const old = new Date("2020-01-01");
  const place = (answer: string): void => {
    placeProgram(clone, answer);
    utimesSync(path.join(clone.root, "src/main.ts"), old, old);
  };
  const sentences = path.join(clone.root, "src/texts/catalogue/setup.json");
  place("one");
  glovebox(clone, "setup", "--yes");
  place("two");
  assert.equal(glovebox(clone, "run", "--", "true"), "one\n", "nothing tells that the program is another: the bundle is taken");
  utimesSync(sentences, old, new Date());
  assert.equal(glovebox(clone, "run", "--", "true"), "two\n");
  utimesSync(sentences, old, old);
  assert.equal(glovebox(clone, "run", "--", "true"), "one\n");
  rmSync(sentences);
  assert.equal(glovebox(clone, "run", "--", "true"), "two\n");
});

const asFunction = (text: string): string => `(function (exports, require, module, __filename, __dirname) {\n${text}\n});\n`;

test("each further file of the bundle is evaluated once, by what asks for it, and is the one of its time even when another set-up replaced all", () => {
  using clone = openMiniatureClone();
  placeProgram(clone, "one");
  glovebox(clone, "setup", "--yes");
  const texts = {
    main: `exports.first = (name) => name + " of the first";
process.getBuiltinModule("node:fs").rmSync(__dirname, { recursive: true });
console.log(require("later:a"), require("later:b"));
console.log(require("apart:yaml"), require("apart:sentences"), require("apart:yaml"));`,
    later: `console.log("evaluated");
exports.later = (name) => name + " of the second with " + require("first:c");`,
    yaml: `console.log("yaml evaluated");
module.exports = "whole yaml";`,
    sentences: 'module.exports = "all sentences";',
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(clone.root, `bundle/${name}.cjs`), asFunction(text));
  const [once, ...said] = glovebox(clone, "explain").split("\n");
  assert.equal(once, "evaluated");
  assert.deepEqual(said, [
    "a of the second with c of the first b of the second with c of the first",
    "yaml evaluated",
    "whole yaml all sentences whole yaml",
    "",
  ]);
});
