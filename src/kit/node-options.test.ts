// That each way to start Node takes the options; that they are what it takes, `test/long/surely-ending.test.ts` shows.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { surelyEnding } from "./node-options.ts";

const installation = path.join(import.meta.dirname, "..", "..");

for (const file of ["scripts/setup/with-node.sh", "src/door/broker-place.ts", "src/egress/start-gate.ts"]) {
  test(`${file} starts Node with what lets it end surely`, () => {
    const text = readFileSync(path.join(installation, file), "utf8");
    assert.ok(text.includes(file.endsWith(".sh") ? surelyEnding.join(" ") : "...surelyEnding"));
  });
}
