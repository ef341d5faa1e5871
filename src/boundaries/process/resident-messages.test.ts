// The words between Node and the resident launcher, as native/launcher/resident.h has them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseResidentMessage, residentRequest } from "./resident-messages.ts";

test("parseResidentMessage() knows its messages and nothing else", () => {
  for (const message of [
    { set: 1, end: "layout" },
    { set: 1, end: "text" },
    { set: 2, end: "control" },
    { short: 4 },
    { started: 0, pid: 7 },
    { ended: 3 },
    { ended: 3, error: "EAGAIN" },
  ]) {
    assert.deepEqual(parseResidentMessage(message), message);
  }
  for (const other of [
    undefined,
    "",
    {},
    { set: 1 },
    { set: -1, end: "text" },
    { started: 1 },
    { ended: 1, pid: 2 },
    { started: 1, pid: 0 },
  ]) {
    assert.equal(parseResidentMessage(other), undefined);
  }
});

test("residentRequest() counts bytes, and ends every word with a NUL, an empty one too", () => {
  assert.deepEqual(residentRequest(["kill", "1"]), Buffer.from("\x07\0\0\0kill\x001\0", "latin1"));
  assert.deepEqual(residentRequest(["ü", ""]), Buffer.concat([Buffer.from([4, 0, 0, 0]), Buffer.from("ü\0\0")]));
});
