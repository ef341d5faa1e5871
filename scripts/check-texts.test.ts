// Each fault of texts, planted and found.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { useFindings } from "./check-texts.ts";
import { type CatalogueSentences, placeholders, readSentences } from "./checks/catalogue.ts";
import { parseModule } from "./checks/parsed-module.ts";
import { textUses } from "./checks/text-uses.ts";

const sentence = (en: string, zh = en): { file: string; en: string; zh: string } => ({ file: "demo.json", en, zh });

const sentences: CatalogueSentences = new Map([
  ["demo.hello", sentence("hello {name}")],
  ["error.demo.broken.message", sentence("Cannot open {file}")],
  ["error.demo.broken.hint", sentence("Close {other}")],
]);

const good =
  'say({ key: "demo.hello", values: { name } }); throw new GloveboxError("INTERNAL", "demo.broken", { values: { file, other } });';

function problems(source: string, file = "src/demo/demo.ts"): string {
  return useFindings([{ file, uses: textUses(parseModule(file, source)) }], sentences)
    .map((finding) => finding.problem)
    .join("; ");
}

test("useFindings() accepts sentences that exist and get their values", () => {
  assert.equal(problems(good), "");
});

test("useFindings() finds a key and a situation that do not exist", () => {
  assert.match(problems(`${good} say({ key: "demo.helo" });`), /"demo.helo" is no sentence/u);
  assert.match(problems(`${good} say("demo.helo");`), /"demo.helo" is no sentence/u);
  assert.match(
    problems(`${good} new GloveboxError("INTERNAL", "other.thing");`),
    /error.other.thing.message does not exist; error.other.thing.hint/u,
  );
});

test("useFindings() finds a value that nobody hands in, also for the hint", () => {
  assert.match(problems(good.replace("values: { name }", "values: { nam }")), /no value for \{name\}/u);
  assert.match(problems(good.replace("values: { file, other }", "values: { file }")), /no value for \{other\}/u);
  assert.match(problems(good.replace(", { values: { file, other } }", "")), /no value for \{file\}, \{other\}/u);
  assert.equal(problems(good.replace("values: { file, other }", "values")), "");
});

test("useFindings() finds a sentence that nobody uses", () => {
  assert.match(problems('throw new GloveboxError("INTERNAL", "demo.broken", { values });'), /is used nowhere/u);
});

test("useFindings() finds a key that is put together and not listed", () => {
  assert.match(problems(`${good} say({ key: \`demo.\${word}\` });`), /puts a key together from "demo."/u);
  assert.match(problems(`${good} say({ key: \`error.\${word}.message\` });`), /puts a key together from "error."/u);
});

test("placeholders() reads plain and plural values once", () => {
  assert.deepEqual(placeholders("{b} of {a|file|files} {b} {not a name}"), ["a", "b"]);
});

test("readSentences() finds a missing language, unequal values, a missing hint, English in zh, odd quotes and a twin", () => {
  const root = mkdtempSync(path.join(tmpdir(), "glovebox-texts-"));
  try {
    const directory = path.join(root, "src/texts/catalogue");
    mkdirSync(directory, { recursive: true });
    const write = (name: string, content: unknown): void => writeFileSync(path.join(directory, name), JSON.stringify(content));
    write("a.json", {
      "a.one": { en: "{x}", zh: "{y}" },
      "error.a.b.message": { en: "{x}", zh: "{x}" },
      "a.two": { en: "plain words", zh: "plain words" },
      "a.three": { en: 'the "{x}" here', zh: "此处 “{x}”" },
      "a.four": { en: 'the "{x}" here', zh: '此处“{x}”，写 `a: "b"`' },
    });
    write("b.json", { "a.one": { en: "{x}", zh: "{x}" } });
    write("c.json", { "c.one": { en: "only" } });
    const found = readSentences(root).findings.map((finding) => `${finding.place}: ${finding.problem}`);
    assert.equal(found.length, 6, found.join("\n"));
    for (const expected of [
      /a.json a.one: en has \{x\}, zh has \{y\}/u,
      /has no error.a.b.hint/u,
      /no Chinese/u,
      /is also in/u,
      /a.three: .*quotes/u,
      /c.json: .*zh/u,
    ]) {
      assert.ok(
        found.some((line) => expected.test(line)),
        String(expected),
      );
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});
