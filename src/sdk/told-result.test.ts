// What is said about a command's end reaches a program as sentences.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sentence } from "../contracts/sentence.ts";
import { fakeCommandResult } from "../contracts/testing/fake-broker.ts";
import { toldResult } from "./told-result.ts";

test("toldResult() gives each note its text beside what it was made from, and leaves the rest", () => {
  const note = { key: "cli.run.not-found", values: { command: "nothing" } };
  const result = fakeCommandResult({ notes: [note], exitCode: 124 });
  const say = ({ key, values }: Sentence): string => `${key} ${JSON.stringify(values)}`;
  assert.deepEqual(toldResult(result, say), { ...result, notes: [{ ...note, text: say(note) }] });
  assert.deepEqual(toldResult(fakeCommandResult({ notes: [] }), say).notes, []);
});
