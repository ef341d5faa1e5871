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
  - {id: watch, hosts: [watched.example.com], verdict: deny, mode: observe}
  - {id: day, hosts: [day.example.com], verdict: allow, window: {hours: "09:00-18:00", zone: Europe/Berlin}}
  - {id: past, hosts: [past.example.com], verdict: allow, window: {until: "2026-01-01T00:00:00Z"}}
acceptRisk: [{what: egress.observe, why: learn, owner: me, until: "2026-06-30"}]
`;
/** Past the end of the working day in Berlin. */
const nowMs = Date.parse("2026-06-01T20:00:00Z");

function said(host: string, port: number, mode = ""): string {
  const { verdict, lines } = explainConnection(loadPolicy([yamlSource(`${mode}${body}`)], facts), { host, port }, nowMs);
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

test("explainConnection() says what a rule only looks at, and when a rule holds again", () => {
  assert.equal(said("watched.example.com", 443), "allow; observed https watch; no-rule http, ws, ssh, tcp");
  assert.equal(said("day.example.com", 443), "deny; window https day; no-rule http, ws, ssh, tcp");
  assert.equal(said("past.example.com", 443), "deny; window-over https past; no-rule http, ws, ssh, tcp");
  const { lines } = explainConnection(loadPolicy([yamlSource(body)], facts), { host: "day.example.com", port: 443 }, nowMs);
  assert.equal(lines[0]?.values?.["opens"], "2026-06-02T07:00:00.000Z");
});

test("explainConnection() gives the line that would allow what no rule is about", () => {
  const { lines } = explainConnection(loadPolicy([yamlSource(body)], facts), { host: "evil.test", port: 443 }, nowMs);
  assert.equal(lines[0]?.values?.["change"], "egress: [{id: evil.test-443, hosts: [evil.test], verdict: allow}]");
});
