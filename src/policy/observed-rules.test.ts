// Rules that only look: who may write them, what they let through and what never, and that they end with the risk that somebody accepted. INVARIANT I-15
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainPolicy } from "./explain-policy.ts";
import { egressDecider, loadPolicy } from "./policy.ts";
import { check, facts, yamlSource } from "./testing/sources.ts";

const risk = 'acceptRisk: [{what: egress.observe, why: learn what it needs, owner: me, until: "2026-06-30"}]\n';
const watch = (more = ""): string => `egress: [{id: w, hosts: ["**.com"], verdict: deny, mode: observe${more}}]\n`;

test("checkPolicy() takes a rule that only looks from the system's and the user's own file alone, with a risk accepted until later", () => {
  for (const origin of ["user", "system"] as const) assert.deepEqual(check(risk + watch(), origin), []);
  for (const origin of ["project", "project-trusted", "flags"] as const)
    assert.deepEqual(check(risk + watch(), origin), [
      "POLICY_VALUE_INVALID policy.outside-not-own 2 acceptRisk",
      "POLICY_VALUE_INVALID policy.outside-not-own 3 egress[0].mode",
    ]);
  assert.deepEqual(check(watch()), ["POLICY_VALUE_INVALID policy.observe-risk 2 egress[0].mode"]);
  assert.deepEqual(check(risk + watch().replace("deny", "allow")).at(-1), "POLICY_VALUE_INVALID policy.observe-deny 3 egress[0].mode");
  assert.deepEqual(check(risk.replace("2026-06-30", "2026-05-31") + watch()), ["POLICY_KEY_INERT policy.risk-over 2 acceptRisk[0].until"]);
  assert.deepEqual(check(risk.replace("2026-06-30", "2026-06-01") + watch()), [], "its last day");
  assert.deepEqual(check(risk.replace("egress.observe", "bubblewrap")), [
    "POLICY_KEY_UNSUPPORTED policy.value-unsupported 2 acceptRisk[0].what",
  ]);
  assert.deepEqual(check(watch().replace("observe", "enforce")), []);
});

test("a floor is a ceiling for rules that only look, and a project may not replace what denies by one", () => {
  const floor = yamlSource("floor: true\n", "system");
  assert.throws(() => loadPolicy([floor, yamlSource(risk + watch())], facts), { situation: "policy.widens-floor" });
});

const policy = loadPolicy(
  [
    yamlSource(`${risk}allowLocal: ["127.0.0.1:5432"]
egress:
  - {id: watch, hosts: ["**.com", "**.example.org"], cidr: ["0.0.0.0/0"], verdict: deny, mode: observe, protocols: [https, http]}
  - {id: no, hosts: [no.example.com], verdict: deny}
  - {id: ask, hosts: [ask.example.com], verdict: ask}
  - {id: api, hosts: [api.example.com], verdict: allow, maxRequest: 1MiB}
`),
  ],
  facts,
);
const moment = Date.parse("2026-06-01T12:00:00Z");
const decider = egressDecider(policy.egress, moment);

function answer(host: string, port = 443): string {
  const { verdict, reasonCode, ruleId } = decider.decide({ host, port, protocol: port === 80 ? "http" : port === 443 ? "https" : "tcp" });
  return `${verdict} ${reasonCode} ${ruleId ?? ""}`.trim();
}

test("decide() lets through what a rule only looks at, says so, and lets other rules refuse and ask", () => {
  assert.equal(answer("evil.com"), "allow observed watch");
  assert.equal(answer("evil.com", 80), "allow observed watch");
  assert.equal(answer("evil.com", 22), "deny default");
  assert.equal(answer("evil.test"), "deny default");
  assert.equal(answer("no.example.com"), "deny rule no");
  assert.equal(answer("ask.example.com"), "ask rule ask");
  // Enforced, the stricter rule would refuse it.
  assert.equal(answer("api.example.com"), "allow observed watch");
  assert.ok(decider.mayName("evil.com"));
  assert.equal(decider.decide({ host: "api.example.com", port: 443, protocol: "https" }).maxRequestBytes, 2 ** 20);
});

test("decide() and decideAddress() refuse all that is not public, also where a rule only looks", () => {
  assert.equal(answer("93.184.216.34"), "allow observed watch");
  for (const host of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "0.0.0.0", "168.63.129.16"])
    assert.equal(answer(host), "deny address", host);
  for (const host of ["localhost", "metadata.google.internal", "x.svc.cluster.local"]) assert.equal(answer(host), "deny local-name", host);
  const target = { host: "evil.com", port: 443, protocol: "https" } as const;
  for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "fd12::1", "64:ff9b::a9fe:a9fe"])
    assert.equal(decider.decideAddress(target, address).verdict, "deny", address);
  assert.equal(decider.decideAddress(target, "93.184.216.34").reasonCode, "observed");
});

test("a rule that only looks denies from the day after its last", () => {
  const end = Date.parse("2026-07-01T00:00:00Z");
  assert.equal(decider.changesAtMs, end);
  const { verdict, ruleId } = egressDecider(policy.egress, end).decide({ host: "evil.com", port: 443, protocol: "https" });
  assert.deepEqual([verdict, ruleId], ["deny", "watch"]);
  assert.equal(egressDecider(policy.egress, end).changesAtMs, undefined);
});

test("explainPolicy() names what is only looked at, and who accepted that until when", () => {
  const lines = explainPolicy(policy).answers.flatMap(({ lines: each }) => each);
  const observed = lines.find(({ key }) => key === "policy.sheet.connect.observe");
  assert.deepEqual([observed?.values?.["id"], observed?.values?.["ports"]], ["watch", "80, 443"]);
  assert.deepEqual(lines.find(({ key }) => key === "policy.sheet.held.risk")?.values, {
    what: "egress.observe",
    why: "learn what it needs",
    owner: "me",
    until: "2026-06-30",
  });
});
