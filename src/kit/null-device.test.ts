// isNullDevice() on descriptors of this process.
import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { test } from "node:test";
import { isNullDevice } from "./null-device.ts";

test("isNullDevice() knows the null device, and takes no other device, no file and no closed descriptor for it", () => {
  const judged = (file: string): boolean => {
    const descriptor = openSync(file, "r");
    try {
      return isNullDevice(descriptor);
    } finally {
      closeSync(descriptor);
    }
  };
  assert.deepEqual(["/dev/null", "/dev/zero", import.meta.filename, "/"].map(judged), [true, false, false, false]);
  assert.equal(isNullDevice(1 << 20), false);
});
