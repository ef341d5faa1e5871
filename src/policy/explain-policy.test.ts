// The answer sheet of a policy, and that every sentence of this room exists in both languages.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { catalogue, createTexts, languages } from "../texts/texts.ts";
import { explainPolicy, loadPolicy } from "./policy.ts";
import { facts, yamlSource } from "./testing/sources.ts";

const full = yamlSource(`approval: never
filesystem: {allowRead: [/srv/data], denyRead: [./secret], denyWrite: [./vendor]}
environment: {set: {MODE: "canary-value"}}
commands:
  - {id: push, match: {argvPrefix: [git, "push it"]}, verdict: deny}
  - {id: ask, match: {argvPrefix: [make]}, verdict: ask}
  - {id: ok, match: {argvPrefix: [ls]}, verdict: allow}
audit: {argv: digest}
allowLocal: ["127.0.0.1:5432"]
egress:
  - {id: web, hosts: ["*.example.com"], verdict: allow}
  - {id: later, hosts: [ask.example.com], verdict: ask}
  - {id: never, cidr: [93.184.216.0/24], verdict: deny}
`);
const empty = yamlSource("filesystem: {allowWrite: []}\nenvironment: {pass: []}\n");

test("explainPolicy() answers the seven questions in order", () => {
  const policy = loadPolicy([full], facts);
  const sheet = explainPolicy(policy);
  assert.deepEqual(sheet.subject, { kind: "policy", hash: policy.hash });
  assert.deepEqual(
    sheet.answers.map(({ question }) => question),
    ["read", "write", "connect", "identity", "happened", "kept", "held"],
  );
  assert.ok(sheet.answers.every(({ lines }) => lines.length > 0));
});

test("explainPolicy() shows every rule in every language, and no value of the environment", () => {
  for (const language of languages) {
    const text = createTexts(language, (value) => value, { onMissing: "throw" });
    for (const source of [full, empty]) {
      const shown = explainPolicy(loadPolicy([source], facts))
        .answers.flatMap(({ lines }) => lines.map(text))
        .join("\n");
      assert.ok(!shown.includes("canary-value"));
      if (source !== full) continue;
      for (const word of [
        "/srv/data",
        "/home/me/project/secret",
        "/home/me/project/vendor",
        "MODE",
        "git 'push it'",
        "400",
        "64MiB",
        "*.example.com",
        "127.0.0.1",
      ])
        assert.ok(shown.includes(word), word);
    }
  }
});

test("explainPolicy() lists no entry as open that opens nothing, and says so", () => {
  const policy = loadPolicy([yamlSource("filesystem: {allowRead: [/srv/data, /srv/keys], allowWrite: [/srv/out]}\n")], facts);
  const lines = (question: string, withheld: readonly string[]): readonly string[] =>
    (explainPolicy(policy, withheld).answers.find((answer) => answer.question === question)?.lines ?? []).map(
      ({ key, values }) => `${key} ${values?.["path"] ?? ""}`,
    );
  assert.ok(lines("read", []).includes("policy.sheet.read.allowed /srv/keys"));
  const read = lines("read", ["/srv/keys", "/srv/out"]);
  for (const path of ["/srv/keys", "/srv/out"])
    assert.deepEqual(
      read.filter((line) => line.endsWith(` ${path}`)),
      [`policy.sheet.read.withheld ${path}`],
    );
  assert.ok(read.includes("policy.sheet.read.allowed /srv/data"));
  assert.deepEqual(lines("write", ["/srv/out"]), ["policy.sheet.write.nothing "]);
});

test("explainPolicy() says who is asked, and which ways lead out of the sandbox", () => {
  const keys = (body: string): readonly string[] =>
    explainPolicy(loadPolicy([yamlSource(body)], facts)).answers.flatMap(({ lines }) => lines.map(({ key }) => key));
  assert.ok(keys("").includes("policy.sheet.held.unsandboxed-closed"));
  const nests = "policy.sheet.held.nested-namespaces";
  assert.deepEqual([keys("").includes(nests), keys("nestedNamespaces: true\n").includes(nests)], [false, true]);
  const open = keys("approval: regular\nallowUnsandboxed: true\n");
  assert.ok(open.includes("policy.sheet.held.regular") && open.includes("policy.sheet.held.unsandboxed-asks"));
  const entry = "outside: [{id: o, program: /usr/bin/x, pin: root, arguments: [a b, {oneOf: [c, d]}, {name: 9}]}]\n";
  const line = explainPolicy(loadPolicy([yamlSource(entry)], facts))
    .answers.flatMap(({ lines }) => lines)
    .find(({ key }) => key === "policy.sheet.held.outside-entry");
  assert.deepEqual(line?.values, { id: "o", words: "/usr/bin/x 'a b' {c|d} <name>" });
});

test("every situation and sentence of this room is in the catalogue, with a hint where it is an error", () => {
  const directory = import.meta.dirname;
  const files = readdirSync(directory).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const texts = [...files, "../contracts/policy-document.ts"].map((name) => readFileSync(path.join(directory, name), "utf8"));
  const used = new Set(texts.flatMap((text) => [...text.matchAll(/"(policy\.[a-z0-9.-]+)"/gu)].map(([, key]) => key ?? "")));
  assert.ok(used.size > 70);
  for (const key of used) {
    if (key.startsWith("policy.sheet.")) assert.ok(catalogue().has(key), key);
    else for (const part of ["message", "hint"]) assert.ok(catalogue().has(`error.${key}.${part}`), `error.${key}.${part}`);
  }
  const known = [...catalogue().keys()].filter((key) => /^(?:error\.policy|policy\.sheet)\./u.test(key));
  for (const key of known) assert.ok(used.has(key.replace(/^error\./u, "").replace(/\.(?:message|hint)$/u, "")), `nothing uses ${key}`);
});
