// Texts in memory: whole, from their start, and without a name.
import assert from "node:assert/strict";
import { readFileSync, readlinkSync } from "node:fs";
import { test } from "node:test";
import { openTexts } from "./memory-texts.ts";

test("openTexts() gives each text from its start, in files that have no name", () => {
  const texts = ["one\n", "", "zwölf\n".repeat(10_000)];
  const opened = openTexts(texts);
  assert.ok(opened, "this machine has no /dev/shm");
  try {
    assert.equal(opened.numbers.length, texts.length);
    for (const [index, number] of opened.numbers.entries()) {
      assert.equal(readFileSync(number, "utf8"), texts[index]);
      assert.match(readlinkSync(`/proc/self/fd/${number}`), / \(deleted\)$/u);
    }
  } finally {
    opened.close();
  }
});
