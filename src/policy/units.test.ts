// Sizes and times, and what was probably meant.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { nearestDuration, nearestSize, parseDuration, parseSize, showDuration, showSize } from "./units.ts";

test("parseSize() reads binary units only", () => {
  assert.equal(parseSize("2GiB"), 2 ** 31);
  assert.equal(parseSize("1B"), 1);
  for (const text of ["2GB", "2G", "2", "0B", "01B", "1.5GiB", "2 GiB", "-1B", "9999999999999TiB", ""])
    assert.equal(parseSize(text), undefined, text);
});

test("parseDuration() reads ms, s, m, h, d only", () => {
  assert.equal(parseDuration("90s"), 90_000);
  assert.equal(parseDuration("400d"), 400 * 86_400_000);
  for (const text of ["90", "90sec", "1h30m", "0s", "1w", ""]) assert.equal(parseDuration(text), undefined, text);
});

test("showSize() and showDuration() are read back as the same number, and use the largest exact unit", () => {
  const whole = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  fc.assert(fc.property(whole, (value) => parseSize(showSize(value)) === value && parseDuration(showDuration(value)) === value));
  assert.equal(showSize(1536), "1536B");
  assert.equal(showSize(2048), "2KiB");
  assert.equal(showDuration(5_400_000), "90m");
  assert.equal(showDuration(172_800_000), "2d");
});

test("nearestSize() suggests what was probably meant", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["2GB", "2GiB"],
    ["2g", "2GiB"],
    ["2048", "2KiB"],
    ["1.5GiB", "1536MiB"],
    ["64 mb", "64MiB"],
    ["lots", undefined],
    ["0", undefined],
    ["1XB", undefined],
  ];
  for (const [text, expected] of cases) assert.equal(nearestSize(text), expected, text);
});

test("nearestDuration() suggests what was probably meant", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["90", "90s"],
    ["90sec", "90s"],
    ["1h30m", "90m"],
    ["1 hour", "1h"],
    ["1.5h", "90m"],
    ["soon", undefined],
    ["1fortnight", undefined],
  ];
  for (const [text, expected] of cases) assert.equal(nearestDuration(text), expected, text);
});
