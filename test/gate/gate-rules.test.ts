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

test("a rule that only looks lets through what it denies, is recorded as that, and opens nothing that other rules or the kind of address refuse", () => {
  assert.deepEqual(results.get("observed"), {
    others: [
      "api.example.com rule",
      "inward.example.com resolved-address",
      "127.0.0.1 address",
      "10.0.0.1 address",
      "169.254.169.254 address",
      "localhost local-name",
      "elsewhere.test default",
    ],
    connections: ["raw.example.com watch true", "inward.example.com watch true"],
    events: ["observed watch", "observed watch"],
  });
});

test("a rule outside its window opens nothing and says when it will, and what is open ends with its window", () => {
  assert.deepEqual(results.get("windowEnds"), {
    closed: 0,
    before: "window",
    after: "window",
    events: ["later 2999-01-01T00:00:00.000Z", "short undefined"],
  });
});

test("a person's grant holds only under the policy that the question named", () => {
  assert.deepEqual(results.get("grantEnds"), { accepted: "200", ended: 1 });
  assert.deepEqual(results.get("replacedWhileAsking"), { first: "revoked", again: "200", questions: 2 });
});

test("a grant that comes while the rules are replaced opens nothing afterwards, and costs no other connection anything", () => {
  assert.deepEqual(results.get("grantRacesReload"), { faults: [], echo: "still there" });
});

test("where a rule names methods and paths only such requests pass, as a proxy is asked and in a tunnel, and a reload ends what it names no more", () => {
  const refused = "403 request, 403 request";
  assert.deepEqual(results.get("someRequests"), {
    said: {
      named: "200 none, 200 none",
      otherMethod: refused,
      otherPath: refused,
      upwards: refused,
      escaped: refused,
      overridden: refused,
    },
    reached: ["web /v1/a?q=%2f..", "web /v1/a?q=%2f.."],
    spared: 0,
    ended: 1,
    answer: "502",
    events: ["allow rule some", "deny request some", "deny revoked some"],
  });
});
