// The central promise about projects, by many random documents: what an untrusted project adds never allows more.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { CompiledPolicy, PolicySource } from "../contracts/policy-port.ts";
import type { Verdict } from "../contracts/decision.ts";
import { buildPolicy } from "./build-policy.ts";
import { matchesName } from "./environment-rules.ts";
import { judgeRead, judgeWrite } from "./path-rules.ts";
import { checkPolicy, loadPolicy } from "./policy.ts";
import { dataSource, facts, summaries, yamlSource } from "./testing/sources.ts";

const pathText = fc.constantFrom(".", "./a", "./a/b", "./a/b/c", "./d", "../other", "/srv", "/srv/a", "/srv/a/b", "~/notes", "~/notes/x");
const paths = fc.array(pathText, { maxLength: 3 });
const rule = fc.record({
  match: fc.record({ argvPrefix: fc.array(fc.constantFrom("git", "push", "/usr/bin/git"), { minLength: 1, maxLength: 2 }) }),
  verdict: fc.constantFrom<Verdict[]>("allow", "ask", "deny"),
});
const rules = fc
  .array(rule, { maxLength: 3 })
  .chain((list) => fc.constantFrom("a", "b").map((prefix) => list.map((one, index) => ({ id: `${prefix}${index}`, ...one }))));

/** A document in which each key is there once in `rarity` times: sparse ones are seldom refused, full ones seldom accepted. */
const documentOf = (rarity: number): fc.Arbitrary<object> => {
  const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.oneof({ weight: rarity - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  return fc.record({
    apiVersion: fc.constant("glovebox/v1"),
    approval: optional(
      fc.constantFrom("auto-allow", "regular", "never", { granular: { commands: "ask" } }, { granular: { commands: "deny" } }),
    ),
    filesystem: fc.record({
      allowRead: optional(paths),
      denyRead: optional(paths),
      allowWrite: optional(paths),
      denyWrite: optional(paths),
      caches: optional(fc.array(fc.constantFrom("npm", "pip", "go"), { maxLength: 2 })),
    }),
    environment: fc.record({
      pass: optional(fc.array(fc.constantFrom("LANG", "LC_*", "LC_ALL", "TERM", "X_*", "X_A"), { maxLength: 3 })),
      set: optional(fc.dictionary(fc.constantFrom("A", "B"), fc.constantFrom("1", "2"))),
    }),
    limits: fc.record({
      wall: optional(fc.constantFrom("1m", "15m", "1h")),
      output: optional(fc.constantFrom("1MiB", "64MiB", "1GiB")),
      returned: optional(fc.constantFrom("1KiB", "256KiB", "1MiB")),
      pendingApprovals: optional(fc.constantFrom(0, 20, 40)),
      denialsBeforeStop: optional(fc.constantFrom(1, 25)),
      openFiles: optional(fc.constantFrom(64, 1024, 4096)),
    }),
    commands: optional(rules),
    boundary: optional(fc.constantFrom("auto", "process")),
    audit: fc.record({ argv: optional(fc.constantFrom("redacted", "digest")), retention: optional(fc.constantFrom("30d", "400d")) }),
  });
};
const dense = documentOf(2);
const sparse = documentOf(8);

const probes = ["", "/a", "/a/b", "/a/b/c", "/a/b/c/d", "/d", "/x"].map((rest) => `/home/me/project${rest}`);
const places = [
  ...probes,
  "/home/me/other",
  "/srv",
  "/srv/a",
  "/srv/a/b",
  "/srv/a/b/c",
  "/home/me/notes",
  "/home/me/notes/x",
  "/home/me",
  "/etc/passwd",
  "/",
];
const commands = [["git"], ["git", "push"], ["/usr/bin/git", "push"], ["./git"], ["push"], ["true"]];
const names = ["LANG", "LC_ALL", "LC_X", "TERM", "X_A", "X_B", "HOME", "CI"];
const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** Everything that `inner` allows, `outer` allows too. */
function assertNarrower(inner: CompiledPolicy, outer: CompiledPolicy): void {
  for (const place of places) {
    if (judgeRead(inner.paths, place) === "allow") assert.equal(judgeRead(outer.paths, place), "allow", `read ${place}`);
    if (judgeRead(inner.paths, place) === "default") assert.notEqual(judgeRead(outer.paths, place), "deny", `read ${place}`);
    if (judgeWrite(inner.paths, place) === "allow") assert.equal(judgeWrite(outer.paths, place), "allow", `write ${place}`);
  }
  for (const argv of commands) {
    const ask = (policy: CompiledPolicy): number => strictness[policy.decide({ kind: "command", argv, cwd: "/" }).verdict];
    assert.ok(ask(inner) >= ask(outer), argv.join(" "));
  }
  for (const name of names) {
    const passes = (policy: CompiledPolicy): boolean => policy.environment.pass.some((pattern) => matchesName(pattern, name));
    if (passes(inner)) assert.ok(passes(outer), name);
  }
  for (const [name, value] of Object.entries(inner.environment.set)) assert.equal(outer.environment.set[name], value);
  for (const limit of ["wallMs", "outputBytes", "returnedBytes", "openFiles", "denials"] as const)
    assert.ok(inner.limits[limit] <= outer.limits[limit], limit);
  assert.ok(inner.caches.every((name) => outer.caches.includes(name)));
  assert.equal(inner.retentionDays, outer.retentionDays);
  assert.equal(inner.auditArgv, outer.auditArgv);
}

/** How often each outcome came up: a property that only ever saw refusals would prove nothing. */
function compare(below: readonly PolicySource[], above: PolicySource, counts: { merged: number; refused: number }): void {
  const outer = buildPolicy(below, facts).policy;
  if (outer === undefined) return;
  const inner = buildPolicy([...below, above], facts).policy;
  if (inner === undefined) counts.refused += 1;
  else {
    counts.merged += 1;
    assertNarrower(inner, outer);
  }
}

test("an untrusted project never widens system, user and built-in policy", () => {
  const counts = { merged: 0, refused: 0 };
  fc.assert(
    fc.property(dense, fc.oneof(sparse, dense), (user, project) => compare([dataSource(user)], dataSource(project, "project"), counts)),
    { numRuns: 300 },
  );
  assert.ok(counts.merged > 40 && counts.refused > 40, JSON.stringify(counts));
});

test("nothing widens a system file with floor: true: user, trusted project, flags", () => {
  const counts = { merged: 0, refused: 0 };
  const origin = fc.constantFrom("user" as const, "project-trusted" as const, "flags" as const);
  const lists = fc.constantFrom("replace" as const, "add" as const);
  fc.assert(
    fc.property(dense, sparse, fc.oneof(sparse, dense), fc.tuple(origin, lists), (floor, first, second, [strength, mode]) => {
      const { policy: ceiling } = buildPolicy([dataSource({ ...floor, floor: true }, "system")], facts);
      const { policy } = buildPolicy(
        [dataSource({ ...floor, floor: true }, "system"), dataSource(first, "user"), { ...dataSource(second, strength), lists: mode }],
        facts,
      );
      if (ceiling === undefined) return;
      if (policy === undefined) counts.refused += 1;
      else {
        counts.merged += 1;
        assertNarrower(policy, ceiling);
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(counts.merged > 8 && counts.refused > 8, JSON.stringify(counts));
});

test("an untrusted project's link is judged by the place behind it", () => {
  const linked = { ...facts, canonicalPath: (path: string) => path.replace("/home/me/project/link", "/home/me/keys") };
  const project = yamlSource("filesystem:\n  allowRead: [./link/id]\n  allowWrite: [., ./link]\n", "project");
  assert.deepEqual(summaries(checkPolicy(project, linked)), [
    "POLICY_WIDENS policy.widens-project 3 filesystem.allowRead[0]",
    "POLICY_WIDENS policy.widens-project 4 filesystem.allowWrite[1]",
  ]);
});

test("a write root of an untrusted project, or above a floor, opens no name that the root around it keeps", () => {
  const kept = ["./.config/fish", "./.git", "./.vscode", "./deploy", "./sub/.Husky/_"];
  const body = `filesystem:\n  allowWrite: [${[...kept, "./src", "./notes/.vscode-old"].join(", ")}]\n`;
  const base = "filesystem: {protect: {add: [deploy]}}\n";
  const refused = (problems: readonly { readonly values: Readonly<Record<string, unknown>> }[]): readonly unknown[] =>
    problems.map(({ values }) => values["entry"]);
  assert.deepEqual(refused(checkPolicy(yamlSource(body, "project"), facts, [yamlSource(base)])), kept);
  assert.deepEqual(refused(checkPolicy(yamlSource(body), facts, [yamlSource(`floor: true\n${base}`, "system")])), kept);
  assert.deepEqual(checkPolicy(yamlSource(body), facts, [yamlSource(base, "system")]), []);
});

test("what the user's own policy opened stays open to a project, but for the second half of a pair", () => {
  const user = yamlSource("filesystem: {allowWrite: [.vscode, .config]}\n");
  const found = (place: string): readonly string[] =>
    summaries(checkPolicy(yamlSource(`filesystem: {allowWrite: [${place}]}\n`, "project"), facts, [user]));
  assert.deepEqual(found(".vscode"), []);
  assert.deepEqual(found(".vscode/snippets"), []);
  assert.deepEqual(found(".config/fish"), ["POLICY_WIDENS policy.widens-project 2 filesystem.allowWrite[0]"]);
});

test("a trust of the project lifts the refusal", () => {
  const body = "filesystem:\n  allowWrite: [., ../other]\nlimits: {wall: 1h}\n";
  assert.equal(checkPolicy(yamlSource(body, "project"), facts).length, 2);
  assert.deepEqual(checkPolicy(yamlSource(body, "project-trusted"), facts), []);
});

test("a project may not have a person asked about what the user's policy denies unless a rule names it", () => {
  const ask = yamlSource("commands: [{id: a, match: {argvPrefix: [git]}, verdict: ask}]\n", "project");
  const found = (user: string): readonly string[] => summaries(checkPolicy(ask, facts, [yamlSource(user)]));
  assert.deepEqual(found("approval: {granular: {commands: deny}}\n"), ["POLICY_WIDENS policy.widens-project 2 commands[0]"]);
  assert.deepEqual(found("approval: {granular: {commands: ask}}\n"), []);
});

test("a project may not take a rule of the user under its id, nor loosen approval", () => {
  const user = yamlSource("approval: never\ncommands: [{id: a, match: {argvPrefix: [git]}, verdict: deny}]\n");
  const project = yamlSource(
    "approval: auto-allow\ncommands:\n  - {id: a, match: {argvPrefix: [nothing]}, verdict: deny}\n  - {id: b, match: {argvPrefix: [x]}, verdict: ask}\n",
    "project",
  );
  assert.deepEqual(summaries(checkPolicy(project, facts, [user])), [
    "POLICY_WIDENS policy.widens-project 2 approval",
    "POLICY_WIDENS policy.widens-project 4 commands[0]",
  ]);
});

test("a widening names what is asked for and what it goes beyond, without values of variables", () => {
  const user = yamlSource("environment: {set: {A: hidden}}\n");
  const body =
    "limits: {wall: 1h, output: 1GiB}\naudit: {retention: 30d}\nfilesystem:\n  allowWrite: [., ../other]\nenvironment: {pass: [AWS_PROFILE], set: {A: other}}\n";
  const problems = checkPolicy(yamlSource(body, "project"), facts, [user]);
  assert.deepEqual(
    problems.map(({ key, values }) => [key, values["entry"], values["ceiling"]]),
    [
      ["limits.output", "1GiB", "64MiB"],
      ["limits.wall", "1h", "15m"],
      ["audit.retention", "30d", "400d"],
      ["filesystem.allowWrite[1]", "../other", "[.]"],
      ["environment.pass[0]", "AWS_PROFILE", "[CI, LANG, LC_*, TERM, TZ]"],
      ["environment.set.A", "A", "{A}"],
    ],
  );
});

test("a project may choose the boundary that auto means", () => {
  const project = yamlSource("boundary: process\n", "project");
  assert.deepEqual(checkPolicy(project, facts), []);
  assert.equal(checkPolicy(yamlSource("boundary: auto\n", "project"), facts, [yamlSource("boundary: process\n")]).length, 1);
});

test("an untrusted project asks about no connection that would have been refused without a question", () => {
  const project = (body: string): PolicySource => yamlSource(body, "project");
  const asks = "egress: [{id: p, hosts: [evil.test], verdict: ask}]\n";
  assert.deepEqual(
    checkPolicy(project(asks), facts).map(({ code, key }) => `${code} ${key}`),
    ["POLICY_WIDENS egress[0]"],
  );
  assert.deepEqual(checkPolicy(project(asks), facts, [yamlSource("approval: regular\n")]), []);
  const narrowed = loadPolicy([project("approval: regular\n")], facts);
  assert.deepEqual([narrowed.approval, narrowed.egress.unruled], ["commands", "deny"]);
  const floored = loadPolicy([yamlSource("floor: true\n", "system"), yamlSource("approval: regular\n")], facts);
  assert.deepEqual([floored.approval, floored.egress.unruled], ["commands", "deny"]);
});
