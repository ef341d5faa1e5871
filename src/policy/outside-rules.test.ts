// The ways out of a sandbox: closed unless the system's or the user's own file opens them, word by word, and never without a question.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { CommandRequest, Decision } from "../contracts/decision.ts";
import type { PolicySource } from "../contracts/policy-port.ts";
import { loadPolicy } from "./policy.ts";
import { check, facts, yamlSource } from "./testing/sources.ts";

const entry = `
outside:
  - id: up
    program: /usr/bin/docker
    pin: root
    arguments: [compose, {oneOf: [up, down]}, {name: 12}]
`;

function ask(body: string, argv: readonly string[], outside: CommandRequest["outside"], origin: PolicySource["origin"] = "user"): Decision {
  const policy = loadPolicy([yamlSource(body, origin)], facts);
  return policy.decide({ kind: "command", argv, cwd: "/w", ...(outside === undefined ? {} : { outside }) });
}

const viaEntry = (argv: readonly string[]): string => ask(entry, argv, { entry: "up" }).verdict;

test("decide() denies every way out by default, and asks about any command only where the user's file opens it", () => {
  assert.deepEqual(ask("", ["id"], { entry: undefined }), { verdict: "deny", ruleId: undefined, reasonCode: "closed", reason: "" });
  assert.equal(ask("allowUnsandboxed: false\n", ["id"], { entry: undefined }).verdict, "deny");
  assert.equal(ask("allowUnsandboxed: true\n", ["id"], { entry: undefined }).verdict, "ask");
  assert.equal(ask("allowUnsandboxed: true\napproval: never\n", ["id"], { entry: undefined }).verdict, "deny");
});

test("decide() never allows outside, whatever the rules say; a deny rule denies there too", () => {
  const allow = "allowUnsandboxed: true\ncommands: [{id: a, match: {argvPrefix: [id]}, verdict: allow}]\n";
  assert.equal(ask(allow, ["id"], { entry: undefined }).verdict, "ask");
  const deny = "allowUnsandboxed: true\ncommands: [{id: a, match: {argvPrefix: [id]}, verdict: deny}]\n";
  assert.equal(ask(deny, ["id"], { entry: undefined }).verdict, "deny");
  assert.equal(
    ask(`${entry}commands: [{id: a, match: {argvPrefix: [docker]}, verdict: deny}]\n`, ["docker", "compose", "up", "web"], { entry: "up" })
      .verdict,
    "deny",
  );
});

test("an entry takes exactly its words, each at its place", () => {
  assert.equal(viaEntry(["docker", "compose", "up", "web"]), "ask");
  assert.equal(viaEntry(["/usr/bin/docker", "compose", "down", "db-1"]), "ask");
  for (const argv of [
    ["docker", "compose", "up"],
    ["docker", "compose", "up", "web", "--privileged"],
    ["docker", "compose", "up", "web", ";", "sh"],
    ["docker", "compose", "up", "web; sh"],
    ["docker", "compose", "up", "$(sh)"],
    ["docker", "compose", "up", "`sh`"],
    ["docker", "compose", "up", "web\nsh"],
    ["docker", "compose", "up", "web\0x"],
    ["docker", "compose", "up", "-v"],
    ["docker", "compose", "up", "--file=x"],
    ["docker", "compose", "up", "../x"],
    ["docker", "compose", "up", ""],
    ["docker", "compose", "up", "a".repeat(13)],
    ["docker", "compose", "up", "we\u0431"],
    ["docker", "compose", "UP", "web"],
    ["docker", "compose", "up'", "'web"],
    ["docker", "compose", "up", "web", ">", "/etc/x"],
    ["docker compose up web"],
    ["sh", "-c", "docker compose up web"],
    ["./docker", "compose", "up", "web"],
    ["/tmp/docker", "compose", "up", "web"],
    ["env", "docker", "compose", "up", "web"],
    [],
  ]) {
    assert.equal(viaEntry(argv), "deny", JSON.stringify(argv));
  }
});

test("an entry is found by its own name only", () => {
  assert.equal(ask(entry, ["docker", "compose", "up", "web"], { entry: "down" }).reasonCode, "closed");
  assert.equal(
    ask(entry, ["docker", "compose", "up", "web"], { entry: undefined }).reasonCode,
    "closed",
    "an entry does not open the wide way",
  );
  assert.equal(
    ask(entry, ["docker", "compose", "up", "web"], undefined).verdict,
    "allow",
    "without asking for it the command stays inside",
  );
});

test("no words but those of the pattern are ever asked about", () => {
  const word = fc.oneof(
    fc.constantFrom("docker", "compose", "up", "down", "web", "-v", ";", "a b"),
    fc.string({ unit: "binary", maxLength: 14 }),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      if (viaEntry(argv) !== "ask") return;
      assert.equal(argv.length, 4);
      assert.ok(["docker", "/usr/bin/docker"].includes(argv[0] ?? "") && argv[1] === "compose" && ["up", "down"].includes(argv[2] ?? ""));
      assert.match(argv[3] ?? "", /^[A-Za-z0-9][A-Za-z0-9._-]{0,11}$/u);
    }),
    { numRuns: 1000 },
  );
});

test("only the system's and the user's own file open a way out: no project, trusted or not, and no flag", () => {
  for (const origin of ["project", "project-trusted", "flags"] as const) {
    for (const key of ["allowUnsandboxed", "nestedNamespaces"]) {
      assert.ok(check(`${key}: true\n`, origin).includes(`POLICY_VALUE_INVALID policy.outside-not-own 2 ${key}`), `${origin} ${key}`);
    }
    assert.ok(
      check(entry, origin).some((line) => line.startsWith("POLICY_VALUE_INVALID policy.outside-not-own")),
      origin,
    );
    assert.deepEqual(check("allowUnsandboxed: false\nnestedNamespaces: false\noutside: []\n", origin), [], origin);
  }
  for (const origin of ["system", "user"] as const) assert.deepEqual(check(`allowUnsandboxed: true\n${entry}`, origin), [], origin);
});

test("a project may close the way out, and a floor keeps it closed", () => {
  const closed = loadPolicy([yamlSource("allowUnsandboxed: true\n"), yamlSource("allowUnsandboxed: false\n", "project")], facts);
  assert.equal(closed.allowUnsandboxed, false);
  const unnested = loadPolicy([yamlSource("nestedNamespaces: true\n"), yamlSource("nestedNamespaces: false\n", "project")], facts);
  assert.equal(unnested.nestedNamespaces, false);
  for (const body of ["allowUnsandboxed: true\n", "nestedNamespaces: true\n", entry]) {
    assert.throws(() => loadPolicy([yamlSource("floor: true\n", "system"), yamlSource(body)], facts), /POLICY_WIDENS/u);
  }
});

test("checkPolicy() refuses an entry whose program is no plain absolute path, and another boundary", () => {
  for (const program of ["docker", "/usr/bin/", "/usr/../bin/x", "/usr//bin/x", "/usr/./x"]) {
    assert.notDeepEqual(check(`outside: [{id: o, program: ${program}, pin: root, arguments: []}]\n`), [], program);
  }
  assert.notDeepEqual(check("outside: [{id: o, program: /usr/bin/id, arguments: []}]\n"), [], "no pin");
  assert.notDeepEqual(check("outside: [{id: o, program: /usr/bin/id, pin: anybody, arguments: []}]\n"), []);
  assert.deepEqual(check("outside: [{id: o, program: /usr/bin/id, pin: root, arguments: [], boundary: microvm}]\n"), [
    "POLICY_KEY_UNSUPPORTED policy.value-unsupported 2 outside[0].boundary",
  ]);
});
