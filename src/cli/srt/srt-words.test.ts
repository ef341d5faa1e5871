// parseSrtWords(): a table of lines. test/peers holds some of them against the real srt.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { srtLines } from "./srt-lines.ts";
import { parseSrtWords } from "./srt-words.ts";

test("parseSrtWords() reads each line of the table", () => {
  for (const { argv, script, command, settings, isDebug } of srtLines) {
    const words = parseSrtWords(argv);
    const expected = { script: script ?? "", command: command ?? words.command, settings, isDebug: isDebug ?? false };
    const found = { script: words.script ?? "", command: words.command, settings: words.settings, isDebug: words.isDebug };
    assert.deepEqual(found, expected, argv.join(" "));
  }
});

test("parseSrtWords() wants a value for an option that takes one", () => {
  for (const argv of [["-s"], ["ls", "-c"], ["--control-fd"]]) {
    assert.throws(
      () => parseSrtWords(argv),
      (error) => error instanceof GloveboxError && error.situation === "usage.value-missing",
    );
  }
});

test("parseSrtWords() finds help and version before the separator only", () => {
  assert.equal(parseSrtWords(["ls", "--help"]).isHelp, true);
  assert.equal(parseSrtWords(["ls", "-V"]).isVersion, true);
  assert.equal(parseSrtWords(["--", "ls", "--help"]).isHelp, false);
});
