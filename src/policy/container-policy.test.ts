// `boundary: container` and its runtime: who may choose them, what they add to the hash, and what a sheet says of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicySource } from "../contracts/policy-port.ts";
import { explainPolicy, loadPolicy } from "./policy.ts";
import { facts, yamlSource } from "./testing/sources.ts";

const from = (text: string, origin: PolicySource["origin"] = "user"): PolicySource => ({ ...yamlSource(text), origin });

test("loadPolicy() places a container in runc unless the runtime is named", () => {
  const plain = loadPolicy([from("boundary: container\n")], facts);
  assert.deepEqual([plain.boundary, plain.runtime], ["container", "runc"]);
  const named = loadPolicy([from("boundary: container\ncontainer: {runtime: crun}\n")], facts);
  assert.deepEqual([named.boundary, named.runtime], ["container", "crun"]);
  assert.notEqual(plain.hash, named.hash);
  assert.equal(plain.hash, loadPolicy([from("boundary: container\ncontainer: {runtime: runc}\n")], facts).hash);
});

test("canonicalDocument() names no runtime where there is no container, so that no older hash changes", () => {
  assert.equal("container" in loadPolicy([from("boundary: process\n")], facts).document, false);
});

test("loadPolicy() refuses a runtime that would do nothing", () => {
  for (const text of ["container: {runtime: crun}\n", "container: {template: base}\n", "boundary: process\ncontainer: {runtime: runc}\n"])
    assert.throws(() => loadPolicy([from(text)], facts), { code: "POLICY_KEY_INERT" });
});

test("container.expires is bounded, part of the hash, and only made shorter by a project", () => {
  const expiresOf = (...sources: readonly PolicySource[]) => loadPolicy(sources, facts).containerExpiresMs / 86_400_000;
  const user = from("boundary: container\ncontainer: {expires: 60d}\n");
  assert.deepEqual([expiresOf(from("boundary: container\n")), expiresOf(user)], [30, 60]);
  assert.equal(expiresOf(user, from("container: {expires: 2d}\n", "project")), 2);
  assert.throws(() => expiresOf(user, from("container: {expires: 61d}\n", "project")), { code: "POLICY_WIDENS" });
  for (const text of ["366d", "1ms"])
    assert.throws(() => expiresOf(from(`boundary: container\ncontainer: {expires: ${text}}\n`)), { code: "POLICY_VALUE_INVALID" });
  assert.throws(() => expiresOf(from("container: {expires: 2d}\n")), { code: "POLICY_KEY_INERT" });
  const hashOf = (text: string) => loadPolicy([from(text)], facts).hash;
  assert.notEqual(hashOf("boundary: container\n"), hashOf("boundary: container\ncontainer: {expires: 2d}\n"));
});

test("a template is a part of the hash and of the sheet only where one is named", () => {
  const plain = loadPolicy([from("boundary: container\n")], facts);
  const named = loadPolicy([from("boundary: container\ncontainer: {template: base}\n")], facts);
  assert.deepEqual([plain.template, named.template], [undefined, "base"]);
  assert.notEqual(plain.hash, named.hash);
  assert.equal("template" in Object(plain.document["container"]), false);
  const read = explainPolicy(named).answers.find(({ question }) => question === "read")?.lines[0];
  assert.deepEqual(read, { key: "policy.sheet.container.read-template", values: { template: "base" } });
});

test("an untrusted project chooses neither container nor runtime", () => {
  const rows = [
    ["", "boundary: container\n"],
    ["boundary: container\n", "boundary: process\n"],
    ["boundary: container\n", "container: {runtime: crun}\n"],
    ["boundary: container\n", "container: {template: base}\n"],
  ] as const;
  for (const [user, project] of rows)
    assert.throws(() => loadPolicy([from(user), from(project, "project")], facts), { code: "POLICY_WIDENS" }, project);
  const same = loadPolicy([from("boundary: container\n"), from("boundary: container\n", "project")], facts);
  assert.equal(same.boundary, "container");
});

test("explainPolicy() says of a container what of the machine is seen, that nothing is written, and where it connects", () => {
  const text =
    'boundary: container\nfilesystem: {allowRead: [/srv/ca.pem]}\negress: [{id: e1, hosts: ["a.example.org"], verdict: allow}]\n';
  const { answers } = explainPolicy(loadPolicy([from(text)], facts));
  const keys = (question: string): readonly string[] => answers.find((one) => one.question === question)?.lines.map(({ key }) => key) ?? [];
  assert.deepEqual(keys("read"), ["policy.sheet.container.read", "policy.sheet.read.allowed"]);
  assert.deepEqual(keys("write"), ["policy.sheet.container.workspace", "policy.sheet.container.private", "policy.sheet.write.rest"]);
  assert.deepEqual(keys("connect"), ["policy.sheet.connect.allow", "policy.sheet.connect.rest", "policy.sheet.connect.limits"]);
  assert.ok(keys("held").includes("policy.sheet.held.container") && !keys("held").includes("policy.sheet.held.process"));
});
