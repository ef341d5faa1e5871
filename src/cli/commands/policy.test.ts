// `glovebox policy check|show|hash|trust|schema`: what is asked of the door, and both forms of the answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyProblem } from "../../contracts/policy-port.ts";
import { fakePolicy } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const problem: PolicyProblem = {
  code: "POLICY_KEY_UNKNOWN",
  situation: "usage.option-repeated",
  values: { option: "wal\u0007" },
  label: "/usr/p.yaml",
  line: 7,
  key: "limits.wal",
};

test("policy check is quiet about a good file and exits 0", async () => {
  const call = await callCli(["policy", "check", "p.yaml"], { cwd: "/usr" });
  assert.equal(call.code, 0);
  assert.equal(call.out(), "/usr/p.yaml: no problems\n");
  assert.deepEqual(call.door.calls, [{ method: "checkPolicyFile", values: ["/usr/p.yaml", "/usr"] }]);
});

test("policy check lists problems on stdout, their number on stderr, and exits 2", async () => {
  const door = { checkPolicyFile: async () => [problem, { ...problem, line: 0, key: "" }] };
  const call = await callCli(["policy", "check", "p.yaml"], { cwd: "/usr", door });
  assert.equal(call.code, 2);
  assert.match(call.out(), /^\/usr\/p\.yaml:7: Cannot use "wal\\x07"/mu);
  assert.match(call.out(), /^\/usr\/p\.yaml: Cannot/mu);
  assert.match(call.out(), /^ {2}code: POLICY_KEY_UNKNOWN$/mu);
  assert.match(call.out(), /^ {2}next: /mu);
  assert.match(call.err(), /2 problems/u);
});

test("policy check --json lists the same as data", async () => {
  const call = await callCli(["policy", "check", "p.yaml", "--json"], { cwd: "/usr", door: { checkPolicyFile: async () => [problem] } });
  assert.equal(call.code, 2);
  const report = JSON.parse(call.out()) as { isValid: boolean; problems: { file: string; line: number; key: string; values: unknown }[] };
  assert.equal(report.isValid, false);
  assert.equal(report.problems[0]?.line, 7);
  assert.deepEqual(report.problems[0]?.values, { option: "wal\u0007" });
});

test("policy show prints the document itself, and with --json the hash and origins around it", async () => {
  assert.deepEqual(JSON.parse((await callCli(["policy", "show"])).out()), fakePolicy().document);
  const { hash, valueOrigins } = JSON.parse((await callCli(["policy", "show", "--json"])).out()) as { hash: string; valueOrigins: unknown };
  assert.equal(hash, fakePolicy().hash);
  assert.deepEqual(valueOrigins, { "filesystem.allowWrite": "flags" });
});

test("policy show says on the other channel which entries open nothing, and with --json lists them", async () => {
  const policy = async () => ({ ...fakePolicy(), withheld: ["/home/me/keys"] });
  const call = await callCli(["policy", "show"], { door: { policy } });
  assert.match(call.err(), /\/home\/me\/keys/u);
  assert.deepEqual(JSON.parse(call.out()), fakePolicy().document);
  const { withheld } = JSON.parse((await callCli(["policy", "show", "--json"], { door: { policy } })).out()) as { withheld: unknown };
  assert.deepEqual(withheld, ["/home/me/keys"]);
});

test("policy show --origin names the source of each value", async () => {
  const out = (await callCli(["policy", "show", "--origin"])).out();
  assert.match(out, /^built-in {2}apiVersion +"glovebox\/v1"$/mu);
  assert.match(out, /^flags {5}filesystem\.allowWrite +\["\."\]$/mu);
  assert.match(out, /^built-in {2}filesystem\.denyRead +\[\]$/mu);
});

test("policy hash prints the hash of the selection", async () => {
  const call = await callCli(["policy", "hash", "--policy", "/p.toml", "--project", "/usr"]);
  assert.equal(call.out(), `${fakePolicy().hash}\n`);
  assert.deepEqual(call.door.calls, [{ method: "policy", values: [{ projectDirectory: "/usr", policyFile: "/p.toml" }] }]);
});

test("policy trust pins the project's file and says what that means", async () => {
  const call = await callCli(["policy", "trust", "--project", "/usr"]);
  assert.match(call.out(), /Trusted \/usr\/glovebox\.yaml.*any edit revokes/u);
  assert.deepEqual(Object.keys(JSON.parse((await callCli(["policy", "trust", "--project", "/usr", "--json"])).out()) as object), [
    "file",
    "digest",
  ]);
});

test("policy schema prints the schema", async () => {
  assert.deepEqual(JSON.parse((await callCli(["policy", "schema"])).out()), { type: "object" });
});
