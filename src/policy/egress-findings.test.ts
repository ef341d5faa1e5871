// What a rule about connections may not say, and that a project only narrows it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPolicy, loadPolicy } from "./policy.ts";
import { check, facts, summaries, yamlSource } from "./testing/sources.ts";

const invalid = (situation: string, key: string): string => `POLICY_VALUE_INVALID policy.${situation} 2 ${key}`;

function hostFault(text: string): readonly string[] {
  return check(`egress: [{id: e, verdict: allow, hosts: [${JSON.stringify(text)}]}]\n`);
}

test("checkPolicy() refuses hosts that are everything, a public suffix, an address, local or no name", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["*", "host-everything"],
    ["**", "host-everything"],
    ["*.", "host-everything"],
    ["**.", "host-everything"],
    ["*.com", "host-suffix"],
    ["**.co.uk", "host-suffix"],
    ["*.GitHub.IO.", "host-suffix"],
    ["1.2.3.4", "host-address"],
    ["127.1", "host-address"],
    ["[::1]", "host-address"],
    ["*.0x7f.1", "host-address"],
    ["localhost", "host-local"],
    ["*.svc.cluster.local", "host-local"],
    ["metadata.google.internal", "host-local"],
    ["host.docker.internal", "host-local"],
    ["a.*.example.com", "host-shape"],
    ["*example.com", "host-shape"],
    ["***.example.com", "host-shape"],
    ["a..example.com", "host-shape"],
    ["https://a.example.com", "host-shape"],
    ["a.example.com:443", "host-shape"],
    ["a.example.com/x", "host-shape"],
    ["user@a.example.com", "host-shape"],
  ];
  for (const [text, situation] of rows) assert.deepEqual(hostFault(text), [invalid(situation, "egress[0].hosts[0]")], text);
  for (const text of ["a.example.com", "*.example.com", "**.example.co.uk", "me.github.io", "*.me.github.io", "com", "例え.example.com"])
    assert.deepEqual(hostFault(text), [], text);
});

test("checkPolicy() takes no pattern of hosts where nobody knows the public suffixes", () => {
  const source = yamlSource("egress: [{id: e, verdict: allow, hosts: ['*.example.com']}]\n");
  assert.deepEqual(summaries(checkPolicy(source, { home: "/home/me", projectDirectory: "/p" })), [
    invalid("host-suffix", "egress[0].hosts[0]"),
  ]);
});

test("checkPolicy() refuses ranges that are none, too wide or not public", () => {
  const fault = (text: string, verdict = "allow"): readonly string[] =>
    check(`egress: [{id: e, verdict: ${verdict}, cidr: ['${text}']}]\n`);
  for (const text of ["10.0.0.1/8", "1.2.3", "a", "1.2.3.4/33"])
    assert.deepEqual(fault(text), [invalid("cidr-shape", "egress[0].cidr[0]")], text);
  for (const text of ["0.0.0.0/0", "128.0.0.0/1", "2000::/3"])
    assert.deepEqual(fault(text), [invalid("cidr-wide", "egress[0].cidr[0]")], text);
  for (const text of ["10.0.0.0/8", "127.0.0.1", "fd00::/16", "64:ff9b::/96"])
    assert.deepEqual(fault(text), [invalid("cidr-local", "egress[0].cidr[0]")], text);
  for (const text of ["0.0.0.0/0", "10.0.0.0/8"]) assert.deepEqual(fault(text, "deny"), [], text);
});

test("checkPolicy() refuses local places that are public, a metadata service or no place with a port", () => {
  const fault = (text: string): readonly string[] => check(`allowLocal: ['${text}']\n`);
  for (const text of ["127.0.0.1", "a", "a:0", "*:80", "a:80/x"])
    assert.deepEqual(fault(text), [invalid("local-shape", "allowLocal[0]")], text);
  for (const text of ["1.1.1.1:80", "0.0.0.0:80", "[64:ff9b::a00:1]:80"])
    assert.deepEqual(fault(text), [invalid("local-public", "allowLocal[0]")], text);
  for (const text of ["169.254.169.254:80", "metadata.google.internal:80", "0xa9fea9fe:80"])
    assert.deepEqual(fault(text), [invalid("local-metadata", "allowLocal[0]")], text);
  for (const text of ["127.0.0.1:5432", "[::1]:80", "10.0.0.5:443", "db.corp.internal:5432"]) assert.deepEqual(fault(text), [], text);
});

test("checkPolicy() refuses rules about nothing, tcp without a port, and sizes of what is refused anyway", () => {
  assert.deepEqual(check("egress: [{id: e, verdict: allow}]\n"), [invalid("egress-nowhere", "egress[0]")]);
  assert.deepEqual(check("egress: [{id: e, verdict: allow, hosts: [a.example], protocols: [tcp]}]\n"), [
    invalid("egress-ports", "egress[0]"),
  ]);
  assert.deepEqual(check("egress: [{id: e, verdict: deny, hosts: [a.example], maxRequest: 1KiB}]\n"), [
    invalid("egress-allow-only", "egress[0].maxRequest"),
  ]);
  assert.deepEqual(check("egress: [{id: e, verdict: deny, hosts: [a.example]}, {id: e, verdict: deny, hosts: [b.example]}]\n"), [
    invalid("not-unique", "egress[1].id"),
  ]);
});

test("checkPolicy() refuses windows that say no time, or not which", () => {
  const fault = (window: string): readonly string[] =>
    check(`egress: [{id: e, hosts: [a.example.com], verdict: allow, window: ${window}}]\n`);
  const rows: readonly (readonly [string, string])[] = [
    ["{}", "window-empty"],
    ["{hours: '09:00-18:00'}", "window-clock"],
    ["{days: [mon]}", "window-clock"],
    ["{zone: UTC}", "window-clock"],
    ["{hours: '09:00-18:00', zone: Mars/Base}", "window-zone"],
    ["{hours: '09:00-09:00', zone: UTC}", "window-hours"],
    ["{from: '2026-02-01T00:00:00Z', until: '2026-02-01T00:00:00Z'}", "window-order"],
  ];
  for (const [window, situation] of rows) assert.deepEqual(fault(window), [invalid(situation, "egress[0].window")], window);
  for (const hours of ["9:00-18:00", "09:00", "24:00-01:00", "09:00-18:60"])
    assert.deepEqual(fault(`{hours: '${hours}', zone: UTC}`), [invalid("value-format", "egress[0].window.hours")], hours);
  for (const window of ["{hours: '22:00-06:00', days: [fri, mon], zone: Europe/Berlin}", "{days: [sun], zone: UTC}"])
    assert.deepEqual(fault(window), [], window);
});

test("loadPolicy() fills in what an allow leaves out, and nothing of what denies", () => {
  const body =
    "egress:\n  - {id: a, verdict: allow, hosts: [B.example.com, a.example.com., b.example.com], protocols: [ssh, http]}\n  - {id: d, verdict: deny, hosts: [c.example.com]}\n";
  assert.deepEqual(loadPolicy([yamlSource(body)], facts).document["egress"], [
    { id: "a", verdict: "allow", hosts: ["a.example.com", "b.example.com"], ports: [22, 80], protocols: ["http", "ssh"], sni: "required" },
    { id: "d", verdict: "deny", hosts: ["c.example.com"] },
  ]);
});

test("an untrusted project adds refusals of connections, never a connection", () => {
  const user = yamlSource("allowLocal: ['127.0.0.1:5432', '127.0.0.1:80']\negress: [{id: a, verdict: allow, hosts: [a.example.com]}]\n");
  const project = (body: string): readonly string[] => summaries(checkPolicy(yamlSource(body, "project"), facts, [user]));
  assert.deepEqual(project("egress: [{id: p, verdict: allow, hosts: [b.example.com]}]\n"), [
    "POLICY_WIDENS policy.widens-project 2 egress[0]",
  ]);
  assert.deepEqual(project("egress: [{id: a, verdict: deny, hosts: [b.example.com]}]\n"), [
    "POLICY_WIDENS policy.widens-project 2 egress[0]",
  ]);
  assert.deepEqual(project("allowLocal: ['127.0.0.1:5432', '127.1:22']\n"), ["POLICY_WIDENS policy.widens-project 2 allowLocal[1]"]);
  assert.deepEqual(project("limits: {egressBytes: 1GiB}\n"), ["POLICY_WIDENS policy.widens-project 2 limits.egressBytes"]);
  assert.deepEqual(project("limits: {egressConnections: 65}\n"), ["POLICY_WIDENS policy.widens-project 2 limits.egressConnections"]);
  assert.deepEqual(
    project("allowLocal: ['127.1:80']\nlimits: {egressBytes: 1MiB}\negress: [{id: p, verdict: deny, hosts: ['*.example.com']}]\n"),
    [],
  );
  const { egress } = loadPolicy([user, yamlSource("allowLocal: ['127.1:80']\nlimits: {egressConnections: 2}\n", "project")], facts);
  assert.deepEqual([egress.local, egress.connections], [[{ host: "127.0.0.1", port: 80 }], 2]);
});

test("a policy's test may ask where it connects", () => {
  const body = (expect: string): string =>
    `egress: [{id: a, verdict: allow, hosts: [a.example.com]}]\ntests:\n  - {name: t, request: {connect: "A.example.com:443"}, expect: ${expect}}\n`;
  assert.deepEqual(check(body("allow")), []);
  assert.deepEqual(check(body("deny")), ["POLICY_TEST_FAILED policy.test-failed 4 tests[0]"]);
  assert.deepEqual(check("tests: [{name: t, request: {connect: '127.1:443'}, expect: deny}]\n"), []);
  assert.deepEqual(check("tests: [{name: t, request: {connect: 'a'}, expect: deny}]\n"), [
    invalid("local-shape", "tests[0].request.connect"),
  ]);
});
