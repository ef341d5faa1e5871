// chooseLanguage(): the asked language, then the locale in POSIX order, then English.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLanguage } from "./language.ts";

test("chooseLanguage() obeys the asked language before any locale", () => {
  assert.equal(chooseLanguage("en", { LC_ALL: "zh_CN.UTF-8" }), "en");
  assert.equal(chooseLanguage("zh", { LANG: "en_US.UTF-8" }), "zh");
});

test("chooseLanguage() reads LC_ALL before LC_MESSAGES before LANG and skips empty ones", () => {
  assert.equal(chooseLanguage(undefined, { LC_ALL: "en_GB.UTF-8", LC_MESSAGES: "zh_CN", LANG: "zh_CN" }), "en");
  assert.equal(chooseLanguage(undefined, { LC_ALL: "", LC_MESSAGES: "zh_TW.Big5", LANG: "en_US" }), "zh");
  assert.equal(chooseLanguage(undefined, { LANG: "zh" }), "zh");
});

test("chooseLanguage() falls back to English", () => {
  for (const LANG of [undefined, "C", "POSIX", "de_DE.UTF-8", "zhuang"]) assert.equal(chooseLanguage(undefined, { LANG }), "en");
  assert.equal(chooseLanguage("fr", {}), "en");
});
