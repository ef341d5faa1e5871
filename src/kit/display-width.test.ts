// displayWidth(), padToWidth() and cutToWidth() count terminal columns.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutToWidth, displayWidth, padToWidth } from "./display-width.ts";

test("displayWidth() counts wide characters twice and combining marks not at all", () => {
  assert.equal(displayWidth("abc"), 3);
  assert.equal(displayWidth("沙箱"), 4);
  assert.equal(displayWidth("（：）"), 6);
  assert.equal(displayWidth("한국어"), 6);
  assert.equal(displayWidth("e\u0301"), 1);
  assert.equal(displayWidth("\u{1F600}"), 2);
  assert.equal(displayWidth("\u{20BB7}"), 2);
  assert.equal(displayWidth("é·—"), 3);
});

test("padToWidth() fills up to the columns and never cuts", () => {
  assert.equal(padToWidth("任务", 6), "任务  ");
  assert.equal(padToWidth("abcdef", 3), "abcdef");
});

test("cutToWidth() never takes more columns than asked", () => {
  assert.equal(cutToWidth("short", 5), "short");
  assert.equal(cutToWidth("任务任务任务", 8), "任务...");
  assert.equal(cutToWidth("abcdef", 2), "..");
  for (let width = 0; width < 20; width += 1) assert.ok(displayWidth(cutToWidth("沙 box 箱 sandbox 沙箱", width)) <= width);
});
