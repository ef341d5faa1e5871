// createTexts() and the catalogue: escaping, plurals, missing keys, and completeness in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CatalogueEntry, catalogue, createTexts, type Language, languages, mergeTopics } from "./texts.ts";

const bracket = (text: string): string => `[${text}]`;
const sample: ReadonlyMap<string, CatalogueEntry> = new Map([
  ["greet", { en: "Hello {name}", zh: "你好 {name}" }],
  ["count", { en: "{n} {n|file|files}", zh: "{n} 个文件" }],
]);
const plain = { catalogue: sample };

test("createTexts() fills in each language and escapes the value, not the sentence", () => {
  assert.equal(createTexts("en", bracket, plain)({ key: "greet", values: { name: "Ada" } }), "Hello [Ada]");
  assert.equal(createTexts("zh", bracket, plain)({ key: "greet", values: { name: "Ada" } }), "你好 [Ada]");
});

test("createTexts() chooses the singular for exactly one", () => {
  const text = createTexts("en", (value) => value, plain);
  assert.equal(text({ key: "count", values: { n: 1 } }), "1 file");
  assert.equal(text({ key: "count", values: { n: 0 } }), "0 files");
  assert.equal(text({ key: "count", values: { n: 12 } }), "12 files");
});

test("createTexts() does not expand a value that looks like a placeholder", () => {
  assert.equal(createTexts("en", (value) => value, plain)({ key: "greet", values: { name: "{name}" } }), "Hello {name}");
});

test("createTexts() shows an unknown key, and throws for it when asked to", () => {
  assert.equal(createTexts("en", bracket, plain)({ key: "absent" }), "[absent]");
  assert.throws(() => createTexts("en", bracket, { ...plain, onMissing: "throw" })({ key: "absent" }), /No sentence "absent"/u);
});

test("createTexts() leaves the placeholder of a missing value, and throws for it when asked to", () => {
  assert.equal(createTexts("en", bracket, plain)({ key: "greet" }), "Hello {name}");
  assert.throws(() => createTexts("en", bracket, { ...plain, onMissing: "throw" })({ key: "greet" }), /No value "name"/u);
});

test("createTexts() takes no key or value from a prototype", () => {
  assert.equal(createTexts("en", bracket, plain)({ key: "constructor" }), "[constructor]");
  const odd = new Map([["k", { en: "{toString}", zh: "{toString}" }]]);
  assert.equal(createTexts("en", bracket, { catalogue: odd })({ key: "k", values: {} }), "{toString}");
});

test("mergeTopics() refuses a key that two topics define", () => {
  const entry = { en: "a", zh: "b" };
  assert.throws(() => mergeTopics({ one: { k: entry }, two: { k: entry } }), /"two".*"k"/u);
});

test("createTexts() names the expressions of a list in its language, and shows the others escaped", () => {
  const value = { mechanism: "the sum of the tree, RLIMIT_CPU, <x>" };
  const texts = (language: Language) =>
    createTexts(language, (text) => text.replaceAll("<", "?"), {
      catalogue: new Map([
        ["a", { en: "by {mechanism:terms}.", zh: "由 {mechanism:terms}。" }],
        ["term.the-sum-of-the-tree", { en: "the tree's sum", zh: "进程树之和" }],
      ]),
    });
  assert.equal(texts("en")({ key: "a", values: value }), "by the tree's sum, RLIMIT_CPU, ?x>.");
  assert.equal(texts("zh")({ key: "a", values: value }), "由 进程树之和, RLIMIT_CPU, ?x>。");
});

test("catalogue holds every sentence in every language with the same placeholders", () => {
  const names = (template: string): string[] => [...new Set([...template.matchAll(/\{(\w+)/gu)].map((match) => match[1] ?? ""))].toSorted();
  const sentences = catalogue();
  assert.ok(sentences.size > 50, `only ${sentences.size} sentences`);
  for (const [key, entry] of sentences) {
    for (const language of languages) assert.ok(entry[language].trim() !== "", `${key} lacks ${language}`);
    assert.deepEqual(names(entry.zh), names(entry.en), key);
  }
});
