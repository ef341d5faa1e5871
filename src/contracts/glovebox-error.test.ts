// Which code of an unknown thrown value is the system's.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { errorTable } from "./error-table.ts";
import { GloveboxError, systemErrorCode } from "./glovebox-error.ts";
import { PresetFault } from "./preset.ts";

const thrownBy = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

test("systemErrorCode() tells the system's code and Node's own", () => {
  assert.equal(systemErrorCode(thrownBy(() => readFileSync("/nonexistent"))), "ENOENT");
  assert.equal(systemErrorCode(Object.assign(new Error("too long"), { code: "E2BIG" })), "E2BIG");
  assert.equal(systemErrorCode(thrownBy(() => readFileSync("a\0b"))), "ERR_INVALID_ARG_VALUE");
});

test("systemErrorCode() takes no refusal of ours for a word of the system", () => {
  assert.equal(systemErrorCode(new GloveboxError("STATE_BUSY", "any.situation")), undefined);
  assert.equal(systemErrorCode(new PresetFault("POLICY_UNREADABLE", "any.situation", {})), undefined);
  for (const code of Object.keys(errorTable)) assert.equal(systemErrorCode(Object.assign(new Error("refused"), { code })), undefined, code);
});

test("systemErrorCode() tells nothing of what has no code", () => {
  for (const thrown of [new Error("plain"), "ENOENT", { code: "ENOENT" }, undefined]) assert.equal(systemErrorCode(thrown), undefined);
});
