// `approvals`: who may answer besides a person at another terminal, which places are taken, and who may name them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicySource } from "../contracts/policy-port.ts";
import { checkPolicy, loadPolicy } from "./policy.ts";
import { facts, yamlSource } from "./testing/sources.ts";

function check(body: string, origin: PolicySource["origin"] = "user", below: readonly PolicySource[] = []): readonly string[] {
  return checkPolicy(yamlSource(body, origin), facts, below).map(({ code, situation, key }) => `${code} ${situation} ${key}`);
}

const entry = (by: string, on = "command"): string => `approvals: [{id: phone, on: ${on}, by: ["${by}"]}]\n`;

test("a place is https, or http on this machine, and nothing that a reader could take for another", () => {
  for (const by of ["https://hooks.example.org/a?b=c", "https://hooks.example.org", "http://127.0.0.1:8080/x", "http://[::1]:8080/"])
    assert.deepEqual(check(entry(by)), [], by);
  for (const by of [
    "http://hooks.example.org/",
    "http://localhost:8080/",
    "https://user:word@hooks.example.org/",
    "https://hooks.example.org/#x",
    "https://h\u043Eoks.example.org/",
    "https://HOOKS.example.org/",
    "ftp://hooks.example.org/",
    "file:///etc/passwd",
    "hooks.example.org",
  ])
    assert.deepEqual(check(entry(by)), ["POLICY_VALUE_INVALID policy.approval-place approvals[0].by[0]"], by);
});

test("only the system's and the user's own file name places, and a floor keeps to its own", () => {
  const by = "https://hooks.example.org/";
  for (const origin of ["project", "project-trusted", "flags"] as const)
    assert.deepEqual(check(entry(by), origin).at(0), "POLICY_VALUE_INVALID policy.outside-not-own approvals", origin);
  assert.deepEqual(check(entry(by), "user", [yamlSource("floor: true\n", "system")]), ["POLICY_WIDENS policy.widens-floor approvals[0]"]);
  assert.deepEqual(check(entry(by), "user", [yamlSource(`floor: true\n${entry(by)}`, "system")]), []);
});

test("questions that do not exist yet, and a time for them, are refused by name", () => {
  assert.deepEqual(check(entry("https://hooks.example.org/", "write")), [
    "POLICY_KEY_UNSUPPORTED policy.value-unsupported approvals[0].on",
  ]);
  assert.deepEqual(check('approvals: [{id: a, on: egress, by: ["https://a.test/"], expires: 1m}]\n'), [
    "POLICY_KEY_UNSUPPORTED policy.key-unsupported approvals[0].expires",
  ]);
});

test("authorities of its own lie where no project says and no command writes, and belong to an https URL", () => {
  const named = (ca: string, by = "https://hooks.example.org/"): string =>
    `approvals: [{id: phone, on: command, by: ["${by}"], ca: "${ca}"}]\n`;
  const authorities = { ...facts, canonicalPath: (place: string) => place.replace("/home/me/linked", "/home/me/project/sub") };
  const judged = (body: string): readonly string[] =>
    checkPolicy(yamlSource(body), authorities).map(({ code, situation, key }) => `${code} ${situation} ${key}`);
  for (const ca of ["~/.config/glovebox/ca.pem", "/etc/ssl/hooks.pem"]) assert.deepEqual(judged(named(ca)), [], ca);
  assert.deepEqual(judged(named("./ca.pem")), ["POLICY_VALUE_INVALID policy.approval-ca-relative approvals[0].ca"]);
  assert.deepEqual(judged(named("/etc/*.pem")), ["POLICY_VALUE_INVALID policy.path-glob approvals[0].ca"]);
  assert.deepEqual(judged(named("/etc/ca.pem", "http://127.0.0.1/")), ["POLICY_KEY_INERT policy.approval-ca-inert approvals[0].ca"]);
  for (const ca of ["/home/me/project/ca.pem", "~/linked/ca.pem"])
    assert.deepEqual(judged(named(ca)), ["POLICY_VALUE_INVALID policy.approval-ca-writable approvals[0].ca"], ca);
  const [rule] = loadPolicy([yamlSource(named("~/ca.pem"))], authorities).approvals;
  assert.equal(rule?.ca, "/home/me/ca.pem");
});

test("entries are added by id, and are part of the policy's hash", () => {
  const one = loadPolicy([yamlSource(entry("https://a.test/"), "system"), yamlSource(entry("https://b.test/", "egress"))], facts);
  assert.deepEqual(one.approvals, [{ id: "phone", on: "egress", by: ["https://b.test/"] }]);
  assert.notEqual(one.hash, loadPolicy([], facts).hash);
});
