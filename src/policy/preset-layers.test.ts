// Presets as layers: who may name one, who has the last word, what refuses one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyFacts, PolicySource } from "../contracts/policy-port.ts";
import type { PresetRefusal, ResolvedPreset } from "../contracts/preset.ts";
import { checkPolicy, loadPolicy, namedPresets } from "./policy.ts";
import { facts, summaries, yamlSource } from "./testing/sources.ts";

const node: ResolvedPreset = {
  name: "node",
  fragment: {
    apiVersion: "glovebox/v1",
    egress: [{ id: "preset-node-https-443", hosts: ["npm.example.net"], ports: [443], protocols: ["https"], verdict: "allow" }],
    allowLocal: ["127.0.0.1:4873"],
    filesystem: { allowRead: ["/srv/corp.pem"] },
    environment: { set: { npm_config_cache: "/private/.npm" }, homeFiles: { ".npmrc": "registry=https://npm.example.net/\n" } },
  },
  sources: [],
  configured: [],
  shows: ["/srv/corp.pem"],
  decidedBy: ["/home/me/.npmrc", "/usr/bin/npm"],
  notes: [],
};
const withNode: PolicyFacts = { ...facts, presets: new Map([["node", node]]) };
const load = (...sources: readonly PolicySource[]) => loadPolicy(sources, withNode);
const problems = (source: PolicySource, given: PolicyFacts = withNode, below: readonly PolicySource[] = []) =>
  summaries(checkPolicy(source, given, below));

test("loadPolicy() turns a preset into an ordinary policy that names no preset", () => {
  const policy = load(yamlSource("presets: [node, node]"));
  assert.deepEqual(policy.document["presets"], []);
  assert.deepEqual(
    policy.egress.rules.map(({ id, hosts }) => [id, hosts]),
    [["preset-node-https-443", [{ match: "exact", name: "npm.example.net" }]]],
  );
  assert.deepEqual(policy.egress.local, [{ host: "127.0.0.1", port: 4873 }]);
  assert.deepEqual(policy.environment.homeFiles, { ".npmrc": "registry=https://npm.example.net/\n" });
  assert.deepEqual(policy.presets, [node]);
  const again = loadPolicy([{ origin: "user", label: "x", format: "json", text: JSON.stringify(policy.document) }], facts);
  assert.equal(again.hash, policy.hash);
});

test("loadPolicy() names the preset as the origin of what it brought, and the file where the file has the last word", () => {
  const origins = load(yamlSource("presets: [node]\nenvironment: {set: {npm_config_cache: /other, A: b}}")).valueOrigins;
  assert.deepEqual(
    ["egress[0]", "allowLocal[0]", "filesystem.allowRead[0]", "environment.set.npm_config_cache", "environment.set.A"].map((key) =>
      origins.get(key),
    ),
    ["preset node", "preset node", "preset node", "user", "user"],
  );
});

test("loadPolicy() adds the cache of a preset to those of weaker layers; a file's own list is the whole list, and an untrusted project only drops some", () => {
  const sharing: ResolvedPreset = { ...node, fragment: { apiVersion: "glovebox/v1", filesystem: { caches: ["npm"] } } };
  const given: PolicyFacts = { ...facts, presets: new Map([["node", sharing]]) };
  const cachesOf = (...sources: readonly PolicySource[]) => loadPolicy(sources, given).caches;
  const system = yamlSource("filesystem: {caches: [pip, cargo]}", "system");
  assert.deepEqual(cachesOf(system, yamlSource("presets: [node]")), ["cargo", "npm", "pip"]);
  assert.deepEqual(cachesOf(system, yamlSource("presets: [node]\nfilesystem: {caches: []}")), []);
  assert.deepEqual(cachesOf(system, yamlSource("filesystem: {caches: [pip]}", "project")), ["pip"]);
  const planted = yamlSource("filesystem: {caches: [npm, pip]}", "project");
  assert.deepEqual(problems(planted, given, [system]), ["POLICY_WIDENS policy.widens-project 2 filesystem.caches[0]"]);
});

test("loadPolicy() gives a layer the last word about a rule of its preset, and keeps the preset's places beside the layer's lists", () => {
  const own =
    "egress: [{id: preset-node-https-443, hosts: [npm.example.net], verdict: deny}]\nallowLocal: []\nfilesystem: {allowRead: [/srv/a]}";
  const policy = load(yamlSource(`presets: [node]\n${own}`));
  assert.deepEqual(
    policy.egress.rules.map(({ verdict }) => verdict),
    ["deny"],
  );
  assert.deepEqual(policy.paths.allowRead, ["/srv/a", "/srv/corp.pem"]);
  assert.deepEqual(policy.egress.local, [{ host: "127.0.0.1", port: 4873 }]);
});

test("loadPolicy() lets a stronger layer deny what a preset of a weaker one allows", () => {
  const flags: PolicySource = {
    origin: "flags",
    label: "command line",
    format: "json",
    text: JSON.stringify({ egress: [{ id: "none", hosts: ["**.example.net"], verdict: "deny" }] }),
  };
  assert.equal(load(yamlSource("presets: [node]"), flags).egress.rules.length, 2);
});

test("checkPolicy() lets an untrusted project repeat a preset of the user, and choose none of its own", () => {
  const project = yamlSource("presets: [node]", "project");
  assert.deepEqual(problems(project, withNode, [yamlSource("presets: [node]")]), []);
  assert.deepEqual(problems(project), ["POLICY_WIDENS policy.widens-project 2 presets[0]"]);
  assert.deepEqual(problems(yamlSource("presets: [node]", "project-trusted")), []);
});

test("checkPolicy() holds a preset to a floor", () => {
  const floor = yamlSource("floor: true", "system");
  const found = checkPolicy(yamlSource("presets: [node]"), withNode, [floor]);
  assert.ok(found.some(({ situation, key }) => situation === "policy.widens-floor" && key === "egress[0]"));
});

test("checkPolicy() refuses a preset that was not resolved, at the place that names it", () => {
  const refusal: PresetRefusal = { name: "node", code: "POLICY_KEY_INERT", situation: "preset.no-tool", values: { tool: "npm" } };
  const source = yamlSource("boundary: auto\npresets: [node]");
  assert.deepEqual(problems(source, facts), ["POLICY_KEY_INERT preset.not-resolved 3 presets[0]"]);
  assert.deepEqual(problems(source, { ...facts, presets: new Map([["node", refusal]]) }), ["POLICY_KEY_INERT preset.no-tool 3 presets[0]"]);
});

test("checkPolicy() checks what a preset brings like any policy", () => {
  const strange = { ...node, fragment: { ...node.fragment, filesystem: { allowRead: ["/home/me"] }, allowLocal: ["169.254.169.254:80"] } };
  assert.deepEqual(problems(yamlSource("presets: [node]"), { ...facts, presets: new Map([["node", strange]]) }).toSorted(), [
    "POLICY_VALUE_INVALID policy.local-metadata 1 allowLocal[0]",
    "POLICY_VALUE_INVALID policy.read-root-home 1 filesystem.allowRead[0]",
  ]);
});

test("checkPolicy() refuses a preset that follows from what the task may write, whether it is there yet or not", () => {
  for (const root of ["~/project", "."]) {
    const given: PolicyFacts = { ...facts, presets: new Map([["node", { ...node, decidedBy: ["/home/me/project/etc/npmrc"] }]]) };
    assert.deepEqual(problems(yamlSource(`presets: [node]\nfilesystem: {allowWrite: ["${root}"]}`), given), [
      "POLICY_VALUE_INVALID preset.decided-in-root 2 presets[0]",
    ]);
  }
});

test("namedPresets() finds those of trusted sources only", () => {
  const sources = [
    yamlSource("presets: [node]"),
    yamlSource("presets: [go]", "project"),
    yamlSource("presets: [rust]\nnonsense: 1", "flags"),
  ];
  assert.deepEqual(namedPresets(sources, facts), ["node"]);
});

test("checkPolicy() refuses a file of the private home that leads out of it, or that Glovebox makes itself", () => {
  const at = (name: string): readonly string[] =>
    problems(yamlSource(`environment: {homeFiles: {"${name}": x}}`)).map((text) => text.split(" ")[1] ?? "");
  for (const name of ["/etc/x", "../x", "a/../../x", "a//b", "", "./a", "a/."]) assert.equal(at(name).length, 1, name);
  assert.deepEqual(at(".gitconfig"), ["policy.home-file-own"]);
  assert.deepEqual(at(".config/git/config"), ["policy.home-file-own"]);
  assert.deepEqual(at(".npmrc"), []);
});

test("checkPolicy() lets an untrusted project put no file of its own into the private home", () => {
  const project = yamlSource('environment: {homeFiles: {.npmrc: "registry=https://planted.example/"}}', "project");
  assert.deepEqual(problems(project), ['POLICY_WIDENS policy.widens-project 2 environment.homeFiles[".npmrc"]']);
});
