// Rules about connections: the rows of decisions, and that narrower policies never allow more.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EgressProtocol } from "../contracts/egress-policy.ts";
import { egressDecider, loadPolicy } from "./policy.ts";
import { facts, yamlSource } from "./testing/sources.ts";

const body = `
allowLocal: ["127.0.0.1:5432", "db.corp.internal:5432", "[fd12::1]:80"]
egress:
  - {id: api, hosts: [api.example.com], verdict: allow}
  - {id: pkg, hosts: ["*.pkg.example.org"], verdict: allow, maxRequest: 1MiB}
  - {id: deep, hosts: ["**.deep.example.org"], ports: [80, 8080], protocols: [http], verdict: allow}
  - {id: raw, hosts: [raw.example.org], ports: [9000], protocols: [tcp], verdict: allow}
  - {id: git, hosts: [git.example.org], protocols: [ssh, https], verdict: allow}
  - {id: net, cidr: [93.184.216.0/24, "2606:2800::/32"], verdict: allow}
  - {id: no, hosts: ["**.bad.pkg.example.org"], verdict: deny}
  - {id: ask, hosts: [ask.pkg.example.org], verdict: ask}
  - {id: range, cidr: [93.184.216.128/25], verdict: deny}
  - {id: plain, hosts: [raw.example.org], protocols: [http], ports: [9001], verdict: deny}
  - {id: both, hosts: [raw.example.org], protocols: [tcp], ports: [9001], verdict: allow}
`;
const decider = egressDecider(loadPolicy([yamlSource(body)], facts).egress, "whenever");

function answer(host: string, port = 443, protocol: EgressProtocol = "https"): string {
  const { verdict, ruleId, reasonCode } = decider.decide({ host, port, protocol });
  return `${verdict} ${ruleId ?? reasonCode}`;
}

test("meantBy() is the loopback place that is opened at the port, for the machine's own name alone", () => {
  assert.equal(decider.meantBy("host.glovebox.internal", 5432), "127.0.0.1");
  assert.equal(decider.meantBy("host.glovebox.internal", 80), "host.glovebox.internal");
  assert.equal(decider.meantBy("x.host.glovebox.internal", 5432), "x.host.glovebox.internal");
  assert.equal(decider.meantBy("localhost", 5432), "localhost");
  assert.equal(answer("host.glovebox.internal", 80, "http"), "deny local-name");
  assert.ok(decider.mayName("host.glovebox.internal"));
  const far = egressDecider(loadPolicy([yamlSource('allowLocal: ["10.1.2.3:80"]\n')], facts).egress, "whenever");
  assert.ok(!far.mayName("host.glovebox.internal"));
});

test("decide() answers each row", () => {
  const rows: readonly (readonly [string, number, EgressProtocol, string])[] = [
    ["api.example.com", 443, "https", "allow api"],
    ["api.example.com", 80, "http", "deny default"],
    ["api.example.com", 22, "ssh", "deny default"],
    ["api.example.com", 443, "tcp", "deny default"],
    ["x.api.example.com", 443, "https", "deny default"],
    ["xapi.example.com", 443, "https", "deny default"],
    ["example.com", 443, "https", "deny default"],
    ["xn--pi-6kc.example.com", 443, "https", "deny default"],
    ["a.pkg.example.org", 443, "https", "allow pkg"],
    ["a.b.pkg.example.org", 443, "https", "allow pkg"],
    ["pkg.example.org", 443, "https", "deny default"],
    ["xpkg.example.org", 443, "https", "deny default"],
    ["bad.pkg.example.org", 443, "https", "deny no"],
    ["a.bad.pkg.example.org", 443, "https", "deny no"],
    ["ask.pkg.example.org", 443, "https", "ask ask"],
    ["deep.example.org", 80, "http", "allow deep"],
    ["a.deep.example.org", 8080, "http", "allow deep"],
    ["a.deep.example.org", 443, "https", "deny default"],
    ["raw.example.org", 9000, "tcp", "allow raw"],
    ["raw.example.org", 9000, "https", "deny default"],
    ["raw.example.org", 9001, "tcp", "deny plain"],
    ["git.example.org", 22, "ssh", "allow git"],
    ["git.example.org", 443, "https", "allow git"],
    ["93.184.216.34", 443, "https", "allow net"],
    ["93.184.216.200", 443, "https", "deny range"],
    ["93.184.217.1", 443, "https", "deny address"],
    ["1.1.1.1", 443, "https", "deny address"],
    ["2606:2800:220:1::1", 443, "https", "allow net"],
    ["127.0.0.1", 443, "https", "deny address"],
    ["127.0.0.1", 5432, "tcp", "allow local"],
    ["fd12::1", 80, "http", "allow local"],
    ["db.corp.internal", 5432, "tcp", "allow local"],
    ["db.corp.internal", 443, "https", "deny local-name"],
    ["localhost", 5432, "tcp", "deny local-name"],
    ["a.localhost", 443, "https", "deny local-name"],
    ["localhost.localdomain", 443, "https", "deny local-name"],
    ["metadata.google.internal", 80, "http", "deny local-name"],
    ["metadata.goog", 80, "http", "deny local-name"],
    ["kubernetes.default.svc", 443, "https", "deny local-name"],
    ["x.svc.cluster.local", 443, "https", "deny local-name"],
    ["host.docker.internal", 443, "https", "deny local-name"],
  ];
  for (const [host, port, protocol, expected] of rows) assert.equal(answer(host, port, protocol), expected, `${host}:${port} ${protocol}`);
});

test("decideAddress() denies a name that leads to a place that is not public, and a range that a rule denies", () => {
  const target = { host: "api.example.com", port: 443, protocol: "https" } as const;
  const about = (address: string): string => {
    const { verdict, ruleId, reasonCode } = decider.decideAddress(target, address);
    return `${verdict} ${ruleId ?? reasonCode}`;
  };
  assert.equal(about("93.184.216.34"), "allow api");
  assert.equal(about("93.184.216.200"), "deny range");
  for (const address of [
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "::1",
    "fd00::1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::1",
    "not one",
  ])
    assert.equal(about(address), "deny address", address);
});

test("decideAddress() lets a name of allowLocal be private, and never a metadata service", () => {
  const about = (port: number, address: string): string =>
    decider.decideAddress({ host: "db.corp.internal", port, protocol: "tcp" }, address).verdict;
  assert.equal(about(5432, "10.1.2.3"), "allow");
  assert.equal(about(5433, "10.1.2.3"), "deny");
  assert.equal(about(5432, "169.254.169.254"), "deny");
  assert.equal(about(5432, "64:ff9b::a00:1"), "deny");
});

test("mayName() knows the names that some port and protocol allows", () => {
  for (const name of [
    "api.example.com",
    "a.pkg.example.org",
    "deep.example.org",
    "raw.example.org",
    "db.corp.internal",
    "ask.pkg.example.org",
  ])
    assert.ok(decider.mayName(name), name);
  for (const name of ["pkg.example.org", "bad.pkg.example.org", "evil.test", "localhost", "metadata.google.internal", "corp.internal"])
    assert.ok(!decider.mayName(name), name);
});

const asking = egressDecider(loadPolicy([yamlSource(`approval: regular${body}`)], facts).egress, "whenever");

test("decide() asks under `approval: regular` about public places that no rule is about, and denies the rest as before", () => {
  const rows: readonly (readonly [string, number, EgressProtocol, string])[] = [
    ["evil.test", 443, "https", "ask default"],
    ["api.example.com", 443, "https", "allow api"],
    ["api.example.com", 8443, "tcp", "ask default"],
    ["1.1.1.1", 443, "https", "ask default"],
    ["bad.pkg.example.org", 443, "https", "deny no"],
    ["ask.pkg.example.org", 443, "https", "ask ask"],
    ["10.0.0.1", 443, "https", "deny address"],
    ["169.254.169.254", 80, "http", "deny address"],
    ["2002:7f00:1::1", 443, "https", "deny address"],
    ["localhost", 443, "https", "deny local-name"],
    ["metadata.google.internal", 80, "http", "deny local-name"],
    ["host.docker.internal", 443, "https", "deny local-name"],
  ];
  for (const [host, port, protocol, expected] of rows) {
    const { verdict, ruleId, reasonCode } = asking.decide({ host, port, protocol });
    assert.equal(`${verdict} ${ruleId ?? reasonCode}`, expected, `${host}:${port} ${protocol}`);
  }
});

test("decideAddress() never lets a name that a person may grant lead inward", () => {
  const about = (address: string): string => asking.decideAddress({ host: "evil.test", port: 443, protocol: "https" }, address).verdict;
  assert.equal(about("93.184.216.34"), "ask");
  assert.equal(about("93.184.216.200"), "deny");
  for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "64:ff9b::a9fe:a9fe"]) assert.equal(about(address), "deny", address);
});

test("mayName() knows the names that a person may be asked about", () => {
  for (const name of ["evil.test", "ask.pkg.example.org"]) assert.ok(asking.mayName(name), name);
  for (const name of ["bad.pkg.example.org", "localhost", "metadata.goog", "x.svc.cluster.local"]) assert.ok(!asking.mayName(name), name);
});

test("`approval: never` denies what a rule would ask", () => {
  const never = egressDecider(loadPolicy([yamlSource(`approval: never${body}`)], facts).egress, "whenever");
  const target = { host: "ask.pkg.example.org", port: 443, protocol: "https" } as const;
  assert.deepEqual([never.decide(target).verdict, never.decide(target).ruleId], ["deny", "ask"]);
  assert.ok(!never.mayName("ask.pkg.example.org"));
});

test("decide() lets a rule hold in its window alone, and says when it does again", () => {
  const windows = `
egress:
  - {id: day, hosts: ["*.day.example.com"], verdict: allow, window: {hours: "09:00-18:00", zone: Europe/Berlin}}
  - {id: asked, hosts: [ask.day.example.com], verdict: ask, window: {from: "2026-06-02T00:00:00Z"}}
  - {id: night, hosts: [a.day.example.com], verdict: deny, window: {hours: "12:00-13:00", zone: Europe/Berlin}}
  - {id: plain, hosts: [plain.day.example.com], verdict: allow}
  - {id: over, hosts: [over.example.com], verdict: allow, window: {until: "2026-01-01T00:00:00Z"}}
`;
  const at = (moment: string, mode = "") => egressDecider(loadPolicy([yamlSource(`${mode}${windows}`)], facts).egress, Date.parse(moment));
  const said = (moment: string, host: string, mode?: string): string => {
    const { verdict, reasonCode, ruleId, opensAtMs } = at(moment, mode).decide({ host, port: 443, protocol: "https" });
    return [verdict, reasonCode, ruleId, opensAtMs === undefined ? "" : new Date(opensAtMs).toISOString().slice(0, 16)].join(" ").trim();
  };
  assert.equal(said("2026-06-01T08:00:00Z", "a.day.example.com"), "allow rule day");
  assert.equal(said("2026-06-01T10:30:00Z", "a.day.example.com"), "deny rule night");
  assert.equal(said("2026-06-01T02:00:00Z", "a.day.example.com"), "deny window day 2026-06-01T07:00");
  assert.equal(said("2026-06-01T02:00:00Z", "a.day.example.com", "approval: regular"), "deny window day 2026-06-01T07:00");
  assert.equal(said("2026-06-01T20:00:00Z", "ask.day.example.com"), "deny window asked 2026-06-02T00:00");
  assert.equal(said("2026-06-01T02:00:00Z", "plain.day.example.com"), "allow rule plain");
  assert.equal(said("2026-06-01T02:00:00Z", "over.example.com"), "deny window over");
  assert.ok(at("2026-06-01T02:00:00Z").mayName("a.day.example.com"));
  assert.equal(at("2026-06-01T08:00:00Z").changesAtMs, Date.parse("2026-06-01T10:00:00Z"));
  assert.equal(egressDecider(loadPolicy([yamlSource(body)], facts).egress, Date.parse("2026-06-01T08:00:00Z")).changesAtMs, undefined);
});

test("decide() takes the narrowest sizes of all rules that allow", () => {
  const policy = loadPolicy(
    [
      yamlSource(
        "egress:\n  - {id: a, hosts: [a.example.com], verdict: allow, maxRequest: 2MiB, sni: optional}\n  - {id: b, hosts: ['*.example.com'], verdict: allow, maxRequest: 1MiB}\n",
      ),
    ],
    facts,
  );
  const decision = egressDecider(policy.egress, "whenever").decide({ host: "a.example.com", port: 443, protocol: "https" });
  assert.deepEqual(
    [decision.ruleId, decision.maxRequestBytes, decision.maxResponseBytes, decision.sni],
    ["a", 2 ** 20, undefined, "required"],
  );
});
