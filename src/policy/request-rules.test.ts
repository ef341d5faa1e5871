// Methods and paths of plain requests: what a rule that names them admits, and where it may name them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PolicyError } from "../contracts/policy-error.ts";
import { egressDecider } from "./decide-egress.ts";
import { loadPolicy } from "./policy.ts";

const load = (rules: string) =>
  loadPolicy([{ origin: "user", label: "x", format: "yaml", text: `apiVersion: glovebox/v1\negress: [${rules}]` }], {
    home: "/h",
    projectDirectory: "/p",
    nowMs: 0,
    isPublicSuffix: () => false,
  });

const reading =
  "{id: read, hosts: [a.example.com], protocols: [http], methods: [HEAD, GET], paths: [/v1/*, /status], maxRequest: 1MiB, verdict: allow}";
const writing =
  "{id: write, hosts: [a.example.com], protocols: [http], methods: [POST], paths: [/v1/new], maxRequest: 1KiB, verdict: allow}";

function decided(rules: string, method: string | undefined, path: string | undefined): string {
  const { verdict, ruleId, reasonCode, maxRequestBytes } = egressDecider(load(rules).egress, "whenever").decide({
    host: "a.example.com",
    port: 80,
    protocol: "http",
    request: { method, path },
  });
  return `${verdict} ${ruleId ?? reasonCode} ${maxRequestBytes ?? ""}`.trim();
}

test("decide() lets a plain request through by a rule that names its method and its path, under that rule's limits", () => {
  for (const path of ["/v1/", "/v1/a/b", "/status"])
    assert.equal(decided(`${reading}, ${writing}`, "GET", path), "allow read 1048576", path);
  assert.equal(decided(`${reading}, ${writing}`, "POST", "/v1/new"), "allow write 1024");
  for (const path of ["/v1", "/v1x/a", "/status/", "/", "/V1/a"]) assert.equal(decided(reading, "GET", path), "deny default", path);
  assert.equal(decided(`${reading}, ${writing}`, "POST", "/v1/a"), "deny default");
  assert.equal(decided(reading, undefined, "/status"), "deny default");
  assert.equal(decided(reading, "GET", undefined), "deny default");
});

test("decide() takes a rule without methods and paths for every request, and a deny before all", () => {
  const any = "{id: any, hosts: [a.example.com], protocols: [http], verdict: allow}";
  assert.equal(decided(`${reading}, ${any}`, undefined, undefined), "allow any");
  assert.equal(decided(`${reading}, {id: no, hosts: [a.example.com], verdict: deny}`, "POST", "/status"), "deny no");
});

test("decide() allows the place itself while no request is known, and names a rule about every request first", () => {
  const decide = (rules: string) =>
    egressDecider(load(rules).egress, "whenever").decide({ host: "a.example.com", port: 80, protocol: "http" });
  assert.deepEqual([decide(reading).verdict, decide(reading).ruleId], ["allow", "read"]);
  assert.equal(decide(`${reading}, {id: zzz, hosts: [a.example.com], protocols: [http], verdict: allow}`).ruleId, "zzz");
});

test("checkPolicy() takes methods and paths only where a rule allows plain requests and nothing else", () => {
  const problems = (rest: string): readonly string[] => {
    try {
      load(`{id: e, hosts: [a.example.com], ${rest}}`);
      return [];
    } catch (error) {
      assert.ok(error instanceof PolicyError);
      return error.problems.map(({ situation, key }) => `${situation} ${key}`);
    }
  };
  assert.deepEqual(problems("verdict: allow, methods: [GET]"), ["policy.egress-requests egress[0].methods"]);
  assert.deepEqual(problems("verdict: allow, protocols: [http, ws], paths: [/a]"), ["policy.egress-requests egress[0].paths"]);
  for (const verdict of ["deny", "ask", "deny, mode: observe"])
    assert.ok(
      problems(`verdict: ${verdict}, protocols: [http], paths: [/a]`).includes("policy.egress-allow-only egress[0].paths"),
      verdict,
    );
  for (const path of ["a", "/a/../b", "/.", "//", "/a b", "/a*", "/*/a", "/a?b", "/%61", ""])
    assert.notDeepEqual(problems(`verdict: allow, protocols: [http], paths: ["${path}"]`), [], path);
  for (const none of ["methods: []", "paths: []", "methods: [get]", "methods: [CONNECT]"])
    assert.notDeepEqual(problems(`verdict: allow, protocols: [http], ${none}`), [], none);
  assert.deepEqual(problems('verdict: allow, protocols: [http], methods: [GET], paths: [/, "/*", /a.b/c-d/]'), []);
});

test("a policy's identity counts methods and paths, in whatever order they stand", () => {
  const plain = (rest: string): string => load(`{id: e, hosts: [a.example.com], protocols: [http], verdict: allow${rest}}`).hash;
  assert.equal(plain(", methods: [GET, PUT], paths: [/b, /a]"), plain(", methods: [PUT, GET, PUT], paths: [/a, /b]"));
  assert.equal(new Set([plain(""), plain(", methods: [GET]"), plain(", paths: [/a]")]).size, 3);
});
