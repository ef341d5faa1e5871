// What a person is told about one place: the rule that decides each protocol, and the change that would allow it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainConnection, loadPolicy } from "./policy.ts";
import { facts, yamlSource } from "./testing/sources.ts";

const body = `
allowLocal: ["db.corp.internal:5432"]
egress:
  - {id: api, hosts: [api.example.com], verdict: allow}
  - {id: ask, hosts: [ask.example.com], verdict: ask}
  - {id: no, hosts: [no.example.com], verdict: deny}
`;

function said(host: string, port: number, mode = ""): string {
  const { verdict, lines } = explainConnection(loadPolicy([yamlSource(`${mode}${body}`)], facts), { host, port });
  return [verdict, ...lines.map(({ key, values }) => `${key.split(".").at(-1)} ${values?.["protocols"]} ${values?.["rule"]}`.trim())].join(
    "; ",
  );
}

test("explainConnection() names what decides, protocol by protocol", () => {
  assert.equal(said("api.example.com", 443), "allow; rule-allows https api; no-rule http, ws, ssh, tcp");
  assert.equal(said("api.example.com", 443, "approval: regular"), "allow; rule-allows https api; asks http, ws, ssh, tcp");
  assert.equal(said("ask.example.com", 443), "ask; rule-asks https, http, ws, ssh, tcp ask");
  assert.equal(said("ask.example.com", 443, "approval: never"), "deny; rule-denies https, http, ws, ssh, tcp ask");
  assert.equal(said("no.example.com", 443), "deny; rule-denies https, http, ws, ssh, tcp no");
  assert.equal(said("evil.test", 443), "deny; no-rule https, http, ws, ssh, tcp");
  assert.equal(said("10.0.0.1", 443), "deny; address https, http, ws, ssh, tcp");
  assert.equal(said("localhost", 80), "deny; local-name https, http, ws, ssh, tcp");
  assert.equal(said("db.corp.internal", 5432), "allow; local https, http, ws, ssh, tcp");
});

test("explainConnection() gives the line that would allow what no rule is about", () => {
  const { lines } = explainConnection(loadPolicy([yamlSource(body)], facts), { host: "evil.test", port: 443 });
  assert.equal(lines[0]?.values?.["change"], "egress: [{id: evil.test-443, hosts: [evil.test], verdict: allow}]");
});
