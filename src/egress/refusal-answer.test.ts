// Answers to refused HTTP clients: they name place, reason, rule and next step, are framed right, and let nothing of a name become markup or a header.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EgressEnd } from "./reason.ts";
import { answerAbout, refusalAnswer, writtenAnswer } from "./refusal-answer.ts";

const place = { host: "evil.test", port: 80 };

test("answerAbout() names the place, the reason, the rule and who says what would allow it", () => {
  const { status, body } = answerAbout(new EgressEnd("rule", "no"), place);
  assert.equal(status, 403);
  assert.equal(
    body,
    'Glovebox refused a connection to evil.test:80.\nReason: rule\nRule: no\nOutside the sandbox, "glovebox egress explain evil.test:80" says what would allow it.\n',
  );
  assert.match(answerAbout(new EgressEnd("default"), place).body, /Reason: default\nRule: none\n/u);
  assert.match(answerAbout(new EgressEnd("address"), { host: "2a00:10::1", port: 443 }).body, /connection to \[2a00:10::1\]:443\./u);
});

test("answerAbout() says of a place that is allowed and not reached only that", () => {
  const { status, body } = answerAbout(new EgressEnd("unreachable"), place);
  assert.deepEqual([status, body], [502, "Glovebox could not connect to evil.test:80.\nReason: unreachable\n"]);
});

test("answerAbout() is short and printable whatever a rule is called, and silent about what is no host", () => {
  const { body } = answerAbout(new EgressEnd("rule", `\r\n\u001b[2J\u{1f600}${"x".repeat(5000)}`), {
    host: `${"a.".repeat(120)}test`,
    port: 65_535,
  });
  assert.match(body, /^[\x20-\x7e\n]{1,1023}$/u);
  assert.ok(body.includes("Rule: ???[2J?"), body);
  assert.equal(answerAbout(new EgressEnd("default"), { host: "a b\r\n", port: 80 }).body, "");
});

test("writtenAnswer() counts its body, and sends none to HEAD and none without a place", () => {
  const answer = answerAbout(new EgressEnd("default"), place);
  const [head = "", body] = writtenAnswer(answer, "GET").split("\r\n\r\n");
  assert.equal(body, answer.body);
  assert.deepEqual(head.split("\r\n").slice(0, 2), ["HTTP/1.1 403 Forbidden", "X-Glovebox-Refused: default"]);
  assert.ok(head.includes(`\r\nContent-Length: ${Buffer.byteLength(answer.body)}\r\n`), head);
  assert.equal(writtenAnswer(answer, "HEAD"), `${head}\r\n\r\n`);
  assert.equal(
    writtenAnswer(refusalAnswer(400, "malformed")),
    "HTTP/1.1 400 Bad Request\r\nX-Glovebox-Refused: malformed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
  );
});
