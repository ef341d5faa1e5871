// Layers, ceilings, tests and the published decision tables (test/vectors/policy/decisions.json), through the front of the room.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as z from "zod";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { PolicyError } from "../contracts/policy-error.ts";
import type { CompiledPolicy, PolicySource } from "../contracts/policy-port.ts";
import { checkPolicy, formatOfFile, judgeRead, judgeWrite, loadPolicy, policySchema } from "./policy.ts";
import { buildPolicy } from "./build-policy.ts";
import { dataSource, facts, summaries, yamlSource } from "./testing/sources.ts";

const verdict = z.enum(["allow", "ask", "deny", "default"]);
const layers = z.array(
  z.strictObject({ origin: z.enum(["system", "user", "project", "project-trusted", "flags"]), document: z.unknown() }),
);
const tableSchema = z.strictObject({
  about: z.string(),
  home: z.string(),
  projectDirectory: z.string(),
  vectors: z.array(
    z.strictObject({
      name: z.string(),
      layers,
      commands: z
        .array(
          z.strictObject({
            argv: z.array(z.string()),
            cwd: z.string().optional(),
            verdict,
            reasonCode: z.string(),
            ruleId: z.string().nullable(),
            reason: z.string().optional(),
          }),
        )
        .default([]),
      reads: z.array(z.strictObject({ path: z.string(), verdict })).default([]),
      writes: z.array(z.strictObject({ path: z.string(), verdict })).default([]),
    }),
  ),
  refusals: z.array(
    z.strictObject({ name: z.string(), layers, problems: z.array(z.strictObject({ code: z.string(), key: z.string() })).min(1) }),
  ),
});
const table = tableSchema.parse(JSON.parse(readFileSync(new URL("../../test/vectors/policy/decisions.json", import.meta.url), "utf8")));
const tableFacts = { home: table.home, projectDirectory: table.projectDirectory };
const sourcesOf = (list: z.infer<typeof layers>): readonly PolicySource[] =>
  list.map(({ origin, document }) => dataSource(document, origin));

function assertVector(vector: (typeof table.vectors)[number], policy: CompiledPolicy): number {
  for (const { argv, cwd = table.projectDirectory, verdict: expected, reasonCode, ruleId, reason } of vector.commands) {
    const decision = policy.decide({ kind: "command", argv, cwd });
    assert.deepEqual(
      [decision.verdict, decision.reasonCode, decision.ruleId ?? null],
      [expected, reasonCode, ruleId],
      `${vector.name}: ${argv.join(" ")}`,
    );
    if (reason !== undefined) assert.equal(decision.reason, reason);
  }
  for (const { path, verdict: expected } of vector.reads)
    assert.equal(judgeRead(policy.paths, path), expected, `${vector.name}: read ${path}`);
  for (const { path, verdict: expected } of vector.writes)
    assert.equal(judgeWrite(policy.paths, path), expected, `${vector.name}: write ${path}`);
  return vector.commands.length + vector.reads.length + vector.writes.length;
}

test("loadPolicy() answers every row of the published decision table", () => {
  const rows = table.vectors.map((vector) => assertVector(vector, loadPolicy(sourcesOf(vector.layers), tableFacts)));
  assert.ok(rows.reduce((sum, count) => sum + count, 0) >= 60);
});

test("loadPolicy() refuses every published refusal, naming each key", () => {
  assert.ok(table.refusals.length >= 3);
  for (const { name, layers: list, problems } of table.refusals) {
    const found = buildPolicy(sourcesOf(list), tableFacts).problems.map(({ code, key }) => ({ code, key }));
    assert.deepEqual(
      found.toSorted((left, right) => (left.key < right.key ? -1 : 1)),
      problems,
      name,
    );
  }
});

test("loadPolicy() with no source is the built-in policy", () => {
  const policy = loadPolicy([], facts);
  const [glob] = policy.paths.denyReadGlobs ?? [];
  assert.deepEqual([glob?.text, glob?.sparesToolchains], ["/home/me/**/.env", true]);
  const { denyReadGlobs, ...literal } = policy.paths;
  assert.equal(denyReadGlobs?.length, 1);
  assert.deepEqual(literal, { readDefault: "system", allowRead: [], denyRead: [], allowWrite: ["/home/me/project"], denyWrite: [] });
  assert.deepEqual(policy.limits, {
    cpuMs: 600_000,
    cpuCores: 2,
    memoryBytes: 2_147_483_648,
    processes: 256,
    diskBytes: 4_294_967_296,
    openFiles: 1024,
    outputBytes: 67_108_864,
    returnedBytes: 262_144,
    wallMs: 900_000,
    denials: Number.POSITIVE_INFINITY,
  });
  assert.deepEqual(policy.environment, { pass: ["CI", "LANG", "LC_*", "TERM", "TZ"], set: {}, homeFiles: {} });
  assert.deepEqual([policy.boundary, policy.retentionDays, policy.auditArgv, policy.origins], ["process", 400, "redacted", ["built-in"]]);
});

test("loadPolicy() throws one error that carries every finding of every source", () => {
  const sources = [yamlSource("boundry: auto\n"), yamlSource("limits: {wall: 9}\n", "project")];
  assert.throws(
    () => loadPolicy(sources, facts),
    (error: unknown) => {
      assert.ok(error instanceof PolicyError && error instanceof GloveboxError);
      assert.equal(error.code, "POLICY_KEY_UNKNOWN");
      assert.equal(error.row.exit, 2);
      assert.deepEqual(error.values, { file: "user.yaml", line: 2, key: "boundry", nearest: "boundary" });
      assert.deepEqual(summaries(error.problems), [
        "POLICY_KEY_UNKNOWN policy.key-unknown-near 2 boundry",
        "POLICY_VALUE_INVALID policy.duration-unit-near 2 limits.wall",
      ]);
      return true;
    },
  );
});

test("loadPolicy() applies sources by strength, whatever the order they are handed in", () => {
  const wall = (text: string, origin: PolicySource["origin"]): PolicySource => yamlSource(`limits: {wall: ${text}}\n`, origin);
  const sources = [wall("4m", "flags"), wall("3m", "project-trusted"), wall("1m", "system"), wall("2m", "user")];
  for (let count = sources.length; count > 0; count -= 1) {
    const strongest = Math.max(...sources.slice(-count).map((source) => Number(/(\d)m/u.exec(String(source.text))?.[1])));
    assert.equal(loadPolicy(sources.slice(-count), facts).limits.wallMs, strongest * 60_000);
  }
  assert.deepEqual(loadPolicy(sources, facts).origins, ["built-in", "system", "user", "project-trusted", "flags"]);
});

test("loadPolicy() replaces allow lists from files, and adds those of `lists: add`", () => {
  const flags = dataSource({ filesystem: { allowWrite: ["../other"] }, environment: { pass: ["EXTRA"] } }, "flags");
  assert.deepEqual(loadPolicy([flags], facts).paths.allowWrite, ["/home/me/other"]);
  const added = loadPolicy([{ ...flags, lists: "add" }], facts);
  assert.deepEqual(added.paths.allowWrite, ["/home/me/other", "/home/me/project"]);
  assert.deepEqual(added.environment.pass, ["CI", "EXTRA", "LANG", "LC_*", "TERM", "TZ"]);
  assert.deepEqual(loadPolicy([yamlSource("filesystem: {allowWrite: []}\n")], facts).paths.allowWrite, []);
});

test("loadPolicy() keeps every weaker layer's deny", () => {
  const system = yamlSource("filesystem: {denyRead: [~/a], denyWrite: [./a]}\n", "system");
  const flags = dataSource({ filesystem: { denyRead: [], denyWrite: [], allowWrite: ["./a", "."], allowRead: ["~/a"] } }, "flags");
  const { paths } = loadPolicy([system, flags], facts);
  assert.equal(judgeRead(paths, "/home/me/a"), "deny");
  assert.equal(judgeWrite(paths, "/home/me/project/a/x"), "deny");
});

test("loadPolicy() only adds protected names, also for a project that nobody trusts", () => {
  const names = (text: string): string => `filesystem: {protect: {add: [${text}]}}\n`;
  const sources = [
    yamlSource(names("deploy.sh, .config/tool"), "system"),
    yamlSource(names("")),
    yamlSource(names("run.sh, deploy.sh"), "project"),
  ];
  const policy = loadPolicy(sources, facts);
  assert.deepEqual(policy.paths.protectedNames, [".config/tool", "deploy.sh", "run.sh"]);
  assert.deepEqual(policy.document["filesystem"], {
    ...Object(policy.document["filesystem"]),
    protect: { add: [".config/tool", "deploy.sh", "run.sh"] },
  });
  assert.equal(loadPolicy([], facts).paths.protectedNames, undefined);
});

test("loadPolicy() lets a project turn strict on, and nobody turn it off below a floor", () => {
  const strict = (value: boolean, origin: PolicySource["origin"]): PolicySource => yamlSource(`filesystem: {strict: ${value}}\n`, origin);
  assert.equal(loadPolicy([strict(true, "project")], facts).paths.strict, true);
  assert.equal(loadPolicy([strict(true, "user"), strict(false, "flags")], facts).paths.strict, undefined);
  assert.throws(() => loadPolicy([strict(true, "user"), strict(false, "project")], facts), { code: "POLICY_WIDENS" });
  const floor = yamlSource("floor: true\nfilesystem: {strict: true}\n", "system");
  assert.throws(() => loadPolicy([floor, strict(false, "flags")], facts), { code: "POLICY_WIDENS" });
});

test("loadPolicy() lets flags go back up to a floor that the user's file went below, and no further", () => {
  const floor = yamlSource("floor: true\nlimits: {wall: 10m}\nfilesystem: {allowWrite: [/srv/w]}\n", "system");
  const user = yamlSource("limits: {wall: 1m}\nfilesystem: {allowWrite: [/srv/w/a]}\n");
  const flags = (wall: string, path: string): PolicySource => dataSource({ limits: { wall }, filesystem: { allowWrite: [path] } }, "flags");
  const policy = loadPolicy([floor, user, { ...flags("10m", "/srv/w/b"), lists: "add" }], facts);
  assert.equal(policy.limits.wallMs, 600_000);
  assert.deepEqual(policy.paths.allowWrite, ["/srv/w/a", "/srv/w/b"]);
  assert.deepEqual(summaries(checkPolicy(flags("11m", "/var/www/x"), facts, [floor, user])), [
    "POLICY_WIDENS policy.widens-floor 1 limits.wall",
    "POLICY_WIDENS policy.widens-floor 1 filesystem.allowWrite[0]",
  ]);
});

test("loadPolicy() names the layer of each value", () => {
  const sources = [
    yamlSource("filesystem: {denyRead: [~/b]}\ncommands: [{id: b, match: {argvPrefix: [b]}, verdict: deny}]\n", "system"),
    yamlSource("filesystem: {denyRead: [~/a]}\nenvironment: {set: {A: '1'}}\nlimits: {wall: 2m}\n"),
    yamlSource("commands: [{id: a, match: {argvPrefix: [a]}, verdict: deny}]\nlimits: {output: 1MiB}\n", "project"),
  ];
  const { valueOrigins } = loadPolicy(sources, facts);
  const expected: Readonly<Record<string, string>> = {
    apiVersion: "built-in",
    egress: "built-in",
    "filesystem.allowWrite": "built-in",
    "filesystem.allowWrite[0]": "built-in",
    "filesystem.denyRead": "user",
    "filesystem.denyRead[0]": "built-in",
    "filesystem.denyRead[1]": "user",
    "filesystem.denyRead[2]": "system",
    "environment.set.A": "user",
    "limits.wall": "user",
    "limits.output": "project",
    "limits.returned": "built-in",
    "commands[0]": "project",
    "commands[1]": "system",
  };
  for (const [key, origin] of Object.entries(expected)) assert.equal(valueOrigins.get(key), origin, key);
});

test("loadPolicy() resolves links: an allow leads to the place, a deny covers link and place", () => {
  const linked = { ...facts, canonicalPath: (path: string) => path.replace("/home/me/link", "/srv/real") };
  const { paths } = loadPolicy([yamlSource('filesystem: {allowRead: ["~/link/a"], denyRead: ["~/link/b"]}\n')], linked);
  assert.deepEqual(paths.allowRead, ["/srv/real/a"]);
  assert.deepEqual(paths.denyRead, ["/home/me/link/b", "/srv/real/b"]);
});

test("loadPolicy() refuses a path in a write root that leads out of it: a command may have planted the link", () => {
  const linked = { ...facts, canonicalPath: (path: string) => path.replace("/home/me/project/link", "/srv/real") };
  for (const field of ["allowRead", "allowWrite"]) {
    const body = `filesystem:\n  allowWrite: [.]\n  ${field}: [${field === "allowWrite" ? "., " : ""}./link/a]\n`;
    const source = yamlSource(field === "allowWrite" ? body.replace("  allowWrite: [.]\n", "") : body);
    assert.deepEqual(
      checkPolicy(source, linked).map(({ situation }) => situation),
      ["policy.link-out-of-root"],
    );
  }
  const inside = { ...facts, canonicalPath: (path: string) => path.replace("/home/me/project/link", "/home/me/project/real") };
  assert.deepEqual(checkPolicy(yamlSource("filesystem: {allowRead: [./link/a]}\n"), inside), []);
});

test("loadPolicy() refuses a write root that is a link to a forbidden place", () => {
  const linked = { ...facts, canonicalPath: (path: string) => (path === "/home/me/project/link" ? "/etc" : path) };
  assert.deepEqual(summaries(checkPolicy(yamlSource("filesystem: {allowWrite: [./link]}\n"), linked)), [
    "POLICY_VALUE_INVALID policy.write-root-system 2 filesystem.allowWrite[0]",
  ]);
});

test("loadPolicy() refuses the built-in write root when the project is the home directory, its trusted settings, the system or Glovebox's own place", () => {
  for (const projectDirectory of ["/home/me", "/", "/usr", "/etc/x", "/opt/glovebox", "/home/me/.ssh/tools"]) {
    const { problems } = buildPolicy([], { ...facts, projectDirectory });
    assert.deepEqual(
      problems.map(({ code, label, key, values }) => [code, label, key, values["root"]]),
      [["POLICY_VALUE_INVALID", "", "", projectDirectory]],
      projectDirectory,
    );
    assert.deepEqual(buildPolicy([yamlSource("filesystem: {allowWrite: []}\n")], { ...facts, projectDirectory }).problems, []);
  }
});

test("loadPolicy() asks a policy's own tests, of the policy that results from all layers", () => {
  const body = `filesystem: {denyRead: [./secret]}
tests:
  - {name: no secret, request: {read: ./secret/key}, expect: deny}
  - {name: project, request: {write: ./src/a}, expect: allow}
  - {name: not home, request: {write: ~/x}, expect: deny}
  - {name: runs, request: {argv: [true]}, expect: allow}
  - {name: there, request: {argv: [../bin/x], cwd: /usr/lib}, expect: allow}
`;
  assert.deepEqual(checkPolicy(yamlSource(body.replace("[true]", '["true"]')), facts), []);
  const stricter = yamlSource(
    "commands: [{id: x, match: {argvPrefix: [/usr/bin/x]}, verdict: deny}]\nfilesystem: {allowWrite: []}\n",
    "project",
  );
  const { problems } = buildPolicy([yamlSource(body.replace("[true]", '["true"]')), stricter], facts);
  assert.deepEqual(
    problems.map(({ code, label, line, values }) => [code, label, line, values["test"], values["expected"], values["actual"]]),
    [
      ["POLICY_TEST_FAILED", "user.yaml", 5, "project", "allow", "deny"],
      ["POLICY_TEST_FAILED", "user.yaml", 8, "there", "allow", "deny"],
    ],
  );
});

test("loadPolicy() fails a read test that no rule decides", () => {
  const { problems } = buildPolicy([yamlSource("tests: [{name: t, request: {read: /usr/x}, expect: allow}]\n")], facts);
  assert.deepEqual(
    problems.map(({ values }) => values["actual"]),
    ["default"],
  );
});

test("checkPolicy() and loadPolicy() never throw anything but a PolicyError, on any bytes", () => {
  const texts = [
    "",
    "\0",
    "{",
    "[",
    "a: *b",
    "a: &b",
    "apiVersion: glovebox/v1\nfilesystem: {allowRead: ['', ' ', '\\']}",
    "- - -",
    '{"apiVersion":"glovebox/v1","commands":[null]}',
  ];
  for (const format of ["yaml", "json", "toml"] as const) {
    for (const text of [...texts, new Uint8Array([0xff, 0xfe])]) checkPolicy({ origin: "user", label: "f", format, text }, facts);
  }
});

test("formatOfFile() goes by the ending and refuses the rest", () => {
  assert.deepEqual(["a.yaml", "a.b.yml", "/x/A.JSON", "p.toml"].map(formatOfFile), ["yaml", "yaml", "json", "toml"]);
  for (const name of ["policy", "policy.txt", "yaml", ".yaml"]) {
    assert.throws(
      () => formatOfFile(name),
      (error: unknown) => error instanceof GloveboxError && error.code === "POLICY_UNREADABLE",
      name,
    );
  }
});

test("policySchema() is a closed JSON Schema in which every key is described", () => {
  const schema = policySchema();
  assert.equal(schema["additionalProperties"], false);
  const documented = z.looseObject({ properties: z.record(z.string(), z.looseObject({ description: z.string().min(5) })) });
  const top = documented.parse(schema);
  assert.equal(Object.keys(top.properties).length, 24);
  for (const key of ["filesystem", "environment", "limits", "audit", "metadata"]) documented.parse(top.properties[key]);
  assert.ok(JSON.stringify(schema).includes('"required":["apiVersion"]'));
});
