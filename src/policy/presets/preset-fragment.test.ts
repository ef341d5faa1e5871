// From a reading to a fragment of a policy.
import assert from "node:assert/strict";
import { test } from "node:test";
import { presetFacts } from "../testing/preset-facts.ts";
import { egressRuleSchema } from "../../contracts/egress-rule.ts";
import { PresetFault } from "../../contracts/preset.ts";
import { presetFragment } from "./preset-fragment.ts";
import { emptyReading } from "./preset-reading.ts";
import { requireRegistryUrl } from "./registry-url.ts";

const endpoint = (text: string) => ({
  url: requireRegistryUrl(text, "npm: registry", "~/.npmrc"),
  what: "npm: registry",
  source: "~/.npmrc",
});
const fragmentOf = (...addresses: readonly string[]) =>
  presetFragment({
    name: "node",
    facts: presetFacts({ toolDirectories: ["/home/me/opt/node"], programs: ["/home/me/opt/node/bin/npm"], consulted: ["/home/me/.npmrc"] }),
    reading: {
      ...emptyReading,
      endpoints: addresses.map(endpoint),
      allowRead: ["/etc/a.pem", "/srv/b.pem"],
      denyRead: ["/etc/npmrc", "/home/me/x", "/home/me/opt/node/etc/npmrc"],
    },
    caches: { CACHE: "/private/c" },
    shared: ["npm"],
    isShown: (file) => file.startsWith("/etc/"),
  });

test("presetFragment() makes one rule of each protocol and port, with hosts sorted and each once", () => {
  const { fragment } = fragmentOf(
    "https://b.example.net/",
    "https://a.example.net/x",
    "https://B.example.net/y",
    "http://c.example.net:8081/",
  );
  const common = { verdict: "allow", reason: "preset node" };
  assert.deepEqual(fragment["egress"], [
    { id: "preset-node-http-8081", hosts: ["c.example.net"], ports: [8081], protocols: ["http"], ...common },
    { id: "preset-node-https-443", hosts: ["a.example.net", "b.example.net"], ports: [443], protocols: ["https"], ...common },
  ]);
});

test("presetFragment() opens a public address as an address, and what is not public by name alone", () => {
  const { fragment } = fragmentOf(
    "https://93.184.216.34/",
    "http://10.0.0.7:4873/",
    "http://localhost:4873/",
    "https://[2606:2800::1]:8443/",
  );
  assert.deepEqual(fragment["allowLocal"], ["10.0.0.7:4873", "localhost:4873"]);
  assert.deepEqual(
    egressRuleSchema()
      .array()
      .parse(fragment["egress"])
      .map(({ cidr, hosts }) => [cidr, hosts]),
    [
      [["93.184.216.34/32"], undefined],
      [["2606:2800::1/128"], undefined],
    ],
  );
});

test("presetFragment() shows only what no sandbox shows by itself, and hides only what one would show", () => {
  assert.deepEqual(fragmentOf().fragment["filesystem"], {
    allowRead: ["/home/me/opt/node", "/srv/b.pem"],
    denyRead: ["/etc/npmrc", "/home/me/opt/node/etc/npmrc"],
    caches: ["npm"],
  });
});

test("presetFragment() says where each opening comes from, and what all of it follows from", () => {
  const { sources, decidedBy } = fragmentOf("https://a.example.net/");
  assert.deepEqual(sources, [
    { value: "a.example.net:443", what: "npm: registry", source: "~/.npmrc" },
    { value: "/home/me/opt/node", what: "tool", source: "/home/me/opt/node/bin/npm" },
  ]);
  assert.deepEqual(decidedBy, ["/home/me/.npmrc", "/home/me/opt/node/bin/npm"]);
});

test("presetFragment() refuses a host that is neither name nor address", () => {
  const url = { ...requireRegistryUrl("https://a.example.net/", "", ""), host: "a..b" };
  const reading = { ...emptyReading, endpoints: [{ url, what: "npm: registry", source: "x" }] };
  assert.throws(
    () => presetFragment({ name: "node", facts: presetFacts({}), reading, caches: {}, shared: [], isShown: () => false }),
    PresetFault,
  );
});
