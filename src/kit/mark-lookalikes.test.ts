// Which letters get a number behind them, and that ordinary words of other languages do not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { markLookalikes } from "./mark-lookalikes.ts";

test("markLookalikes() marks a letter of another script in a Latin word", () => {
  assert.equal(markLookalikes("\u0430dmin"), "\u0430{U+0430}dmin");
  assert.equal(markLookalikes("g\u0456t push"), "g\u0456{U+0456}t push");
});

test("markLookalikes() marks a word that consists of twins alone", () => {
  assert.equal(markLookalikes("\u0441\u0440"), "\u0441{U+0441}\u0440{U+0440}");
});

test("markLookalikes() marks full-width and mathematical letters, and signs that are no slash, dash or dot", () => {
  assert.equal(markLookalikes("\uFF52m"), "\uFF52{U+FF52}m");
  assert.equal(markLookalikes("\u{1D5CB}m"), "\u{1D5CB}{U+1D5CB}m");
  assert.equal(markLookalikes("a\u2215b \u2212f"), "a\u2215{U+2215}b \u2212{U+2212}f");
});

test("markLookalikes() leaves ordinary words of other languages alone", () => {
  for (const text of ["测试，文件：一", "Привет мир", "Ελληνικά", "naïve café", "日本語テスト", "plain ascii"])
    assert.equal(markLookalikes(text), text);
});
