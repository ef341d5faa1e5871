// `glovebox explain`: seven numbered answers for a policy or a task, escaped; JSON gives the sheet.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerSheetDocumentSchema } from "../../contracts/run-result-file.ts";
import { fakeSheet, fakeTask } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

test("explain shows seven numbered headings with every line of their answers", async () => {
  const call = await callCli(["explain", fakeTask]);
  assert.equal(call.code, 0);
  assert.deepEqual(call.door.calls.at(-1), { method: "explainTask", values: [fakeTask] });
  const headings = call
    .out()
    .split("\n")
    .filter((line) => /^\d\. /u.test(line));
  assert.equal(headings.length, 7);
  assert.match(headings[0] ?? "", /^1\. What could it read\?$/u);
  assert.match(call.out(), /^ {3}- \/home\/ada\/project\n {3}- not \/home\/ada\/project$/mu);
});

test("explain without a task answers for the policy of this directory and the given file", async () => {
  const call = await callCli(["explain", "--policy", "p.yaml"], { cwd: "/usr" });
  assert.deepEqual(call.door.calls, [{ method: "explainPolicy", values: [{ projectDirectory: "/usr", policyFile: "/usr/p.yaml" }] }]);
  assert.match(call.out(), /^Policy sha256:/u);
});

test("explain refuses a task together with --policy", async () => {
  const call = await callCli(["explain", fakeTask, "--policy", "p.yaml"]);
  assert.equal(call.code, 2);
  assert.equal(call.doorOpened, 0);
});

test("explain escapes what came from inside, also 10,000 characters of it", async () => {
  const sheet = fakeSheet(`\u001B[2J\u202E\u200B${"x".repeat(10_000)}`);
  const call = await callCli(["explain", fakeTask], {
    door: { explainTask: async () => sheet },
    terminals: ["stdout"],
    env: { NO_COLOR: "1" },
  });
  assert.doesNotMatch(call.out().replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  assert.ok(call.out().length < 6000);
});

test("explain --json gives the answer sheet with text in the chosen language", async () => {
  const call = await callCli(["explain", fakeTask, "--json", "--lang", "zh"]);
  const sheet = answerSheetDocumentSchema.parse(JSON.parse(call.out()));
  assert.deepEqual(
    sheet.answers.map(({ question }) => question),
    ["read", "write", "connect", "identity", "happened", "kept", "held"],
  );
  assert.match(sheet.answers[2]?.lines[0]?.text ?? "", /无处可连/u);
});
