// Questions to a person, and rules that are replaced while clients are connected, before the gate's own process: test/fixtures/gate-rules-cases.ts.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { runAlone } from "../fixtures/alone-results.ts";

let results: ReadonlyMap<string, unknown>;

before(async () => {
  results = await runAlone("gate-rules-cases.ts");
});

test("a connection waits for a person's answer, one question for all that wait, and a grant holds for the next", () => {
  assert.deepEqual(results.get("granted"), {
    before: 0,
    first: ["200", "200"],
    second: "200",
    questions: ["asked.example.com 9000 tcp asked"],
    events: ["allow approved asked"],
  });
});

test("without a grant nothing leaves, and the client hears why", () => {
  assert.deepEqual(results.get("notGranted"), {
    results: [
      ["refused", ["403 ask-refused", "403 ask-refused"], 1],
      ["nobody", ["403 ask", "403 ask"], 1],
      ["unanswered", ["403 ask-unanswered", "403 ask-unanswered"], 2],
      ["too-many", ["403 ask-limit", "403 ask-limit"], 2],
    ],
    arrived: [],
  });
});

test("rules that are replaced end what they do not permit at once, spare what they do, and open nothing by themselves", () => {
  assert.deepEqual(results.get("revoked"), {
    accepted: "200",
    ended: 2,
    refused: "default",
    opensNothing: 0,
    events: ["deny raw.example.com raw", "deny api.example.com api"],
  });
  assert.deepEqual(results.get("revokedRequest"), { ended: 1, answer: "502" });
});

test("a person's grant holds only under the policy that the question named", () => {
  assert.deepEqual(results.get("grantEnds"), { accepted: "200", ended: 1 });
  assert.deepEqual(results.get("replacedWhileAsking"), { first: "revoked", again: "200", questions: 2 });
});
