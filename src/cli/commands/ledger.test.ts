// `glovebox ledger ls|show|verify`: lines, filters, hostile records, exit codes, JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { VerifyReport } from "../../contracts/door.ts";
import { fakeRecord, fakeTask, fakeVerifyReport } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const hostile = fakeRecord({
  seq: 13,
  type: "result.returned",
  body: { outcome: "failed", returnedBytes: 3 },
  detail: { argv: ["sh", "-c", "\u001B[2J\u202Etxt", "x".repeat(10_000)], stdoutTail: "\u001B]0;t\u0007\nnext" },
});
const control = /[\p{Cc}\p{Cf}]/u;

test("ledger ls prints one aligned line per record", async () => {
  const records = [
    hostile,
    fakeRecord(),
    fakeRecord({ seq: 1, task: undefined, detail: undefined, type: "log.opened", body: { format: 1 } }),
  ];
  const call = await callCli(["ledger", "ls"], { door: { records: async () => records } });
  const lines = call.out().trimEnd().split("\n");
  assert.equal(lines.length, 3);
  assert.match(lines[0] ?? "", /^2025-11-29 17:23:05Z {2}13 {2}t-\S+ {2}result\.returned {2}failed {2}sh -c/u);
  assert.match(lines[1] ?? "", /^2025-11-29 17:23:05Z {2}12 {2}t-\S+ {2}policy\.decision {2}allow {3}npm test$/u);
  assert.match(lines[2] ?? "", /^2025-11-29 17:23:05Z {2}1 {3}- +log\.opened +-$/u);
  assert.doesNotMatch(call.out().replaceAll("\n", ""), control);
});

test("ledger ls cuts its lines to a terminal", async () => {
  const call = await callCli(["ledger", "ls"], {
    door: { records: async () => [hostile] },
    terminals: ["stdout"],
    env: { NO_COLOR: "1" },
    columns: 90,
  });
  assert.equal(call.out().trimEnd().length, 90);
  assert.match(call.out(), /\.\.\.\n$/u);
});

test("ledger ls asks for a task and a number of records", async () => {
  const call = await callCli(["ledger", "ls", "--task", fakeTask, "--limit", "7"]);
  assert.deepEqual(call.door.calls, [{ method: "records", values: [{ limit: 7, task: fakeTask }] }]);
  assert.deepEqual((await callCli(["ledger", "ls"])).door.calls[0]?.values, [{ limit: 50 }]);
});

test("ledger ls refuses a limit that is no number in range", async () => {
  for (const limit of ["0", "-1", "1.5", "x", "", "999999"]) {
    const call = await callCli(["ledger", "ls", `--limit=${limit}`]);
    assert.equal(call.code, 2, limit);
    assert.equal(call.doorOpened, 0);
  }
});

test("ledger ls says on stderr that there is nothing", async () => {
  const call = await callCli(["ledger", "ls"], { door: { records: async () => [] } });
  assert.equal(call.code, 0);
  assert.equal(call.out(), "");
  assert.equal(call.err(), "No records\n");
});

test("ledger ls --json gives the records", async () => {
  const call = await callCli(["ledger", "ls", "--json"], { door: { records: async () => [hostile] } });
  assert.deepEqual(JSON.parse(call.out()), { records: [hostile] });
  assert.doesNotMatch(call.out().replaceAll("\n", ""), control);
});

test("ledger show prints every field of a record, escaped", async () => {
  const call = await callCli(["ledger", "show", "13"], { door: { record: async () => hostile } });
  assert.deepEqual(call.door.calls, [{ method: "record", values: [13] }]);
  assert.match(call.out(), /^Record 13 {2}result\.returned$/mu);
  assert.match(call.out(), /^ {2}body\.outcome +failed$/mu);
  assert.match(call.out(), /^ {2}detail\.argv +\["sh","-c","\\u001b\[2J\\u202etxt","x+\.\.\. \(\d+ more characters\)$/mu);
  assert.match(call.out(), /^ {2}detail\.stdoutTail +\\x1b\]0;t\\x07\\nnext$/mu);
  assert.doesNotMatch(call.out().replaceAll("\n", ""), control);
});

test("ledger show prints the records of a task in the order they happened", async () => {
  const door = { records: async () => [fakeRecord({ seq: 14 }), fakeRecord({ seq: 12, detail: undefined })] };
  const out = (await callCli(["ledger", "show", fakeTask], { door })).out();
  assert.ok(out.indexOf("Record 12") < out.indexOf("Record 14"));
  assert.match(out, /^ {2}detail +none, or erased/mu);
});

test("ledger show refuses a task without records", async () => {
  const call = await callCli(["ledger", "show", "t-x\u001B"], { door: { records: async () => [] } });
  assert.equal(call.code, 2);
  assert.match(call.err(), /code: TASK_UNKNOWN/u);
  assert.doesNotMatch(call.err().replaceAll("\n", ""), control);
});

test("ledger verify exits with the report's own code and names each finding", async () => {
  assert.equal((await callCli(["ledger", "verify"])).code, 0);
  for (const exit of [1, 2, 3, 4, 5, 6] as const) {
    const findings = [{ exit, segment: "segment-00000000.log", seq: 9, situation: "any", values: { reason: "\u202E" } }];
    const report: VerifyReport = { ...fakeVerifyReport, exit, findings };
    const call = await callCli(["ledger", "verify"], { door: { verify: async () => report } });
    assert.equal(call.code, exit);
    assert.match(call.out(), /^ {2}segment-00000000\.log: \S/mu);
    assert.match(call.out(), /123 records, 4 signed tree heads/u);
    const json = await callCli(["ledger", "verify", "--json"], { door: { verify: async () => report } });
    assert.equal(json.code, exit);
    assert.equal((JSON.parse(json.out()) as { exit: number }).exit, exit);
  }
});

test("ledger verify says plainly that there is no ledger: 0 for the own state, 6 for a directory or a key that was named", async () => {
  const finding = { exit: 6, segment: "", seq: 0, situation: "no-ledger", values: { path: "/x" } };
  const absent: VerifyReport = { exit: 6, records: 0, treeHeads: 0, root: "", findings: [finding] };
  const door = { verify: async () => absent };
  const own = await callCli(["ledger", "verify"], { door });
  assert.deepEqual([own.code, own.out()], [0, "There is no ledger yet: 0 records; the first run begins it\n"]);
  assert.equal((JSON.parse((await callCli(["ledger", "verify", "--json"], { door })).out()) as { exit: number }).exit, 0);
  for (const flags of [
    ["--directory", "/x"],
    ["--public-key", "/k.pub"],
  ]) {
    const named = await callCli(["ledger", "verify", ...flags], { door });
    assert.equal(named.code, 6);
    assert.match(named.out(), /^There is NO LEDGER here\n {2}there is no ledger in "\/x"/u);
  }
});

test("ledger verify names files against the caller's directory", async () => {
  const call = await callCli(["ledger", "verify", "--directory", "copy", "--public-key", "/k.pub"], { cwd: "/usr" });
  assert.deepEqual(call.door.calls, [{ method: "verify", values: [{ directory: "/usr/copy", publicKeyFile: "/k.pub" }] }]);
});

test("setup says that all is done", async () => {
  const call = await callCli(["setup"]);
  assert.equal(call.code, 0);
  assert.equal(call.doorOpened, 0);
  assert.match(call.out(), /Already set up/u);
  assert.deepEqual(JSON.parse((await callCli(["setup", "--json"])).out()), { isSetUp: true });
});
