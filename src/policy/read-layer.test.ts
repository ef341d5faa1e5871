// Each mistake in a document: its code, line, key and suggestion.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicySource } from "../contracts/policy-port.ts";
import { checkPolicy } from "./policy.ts";
import { check, facts, summaries, yamlSource } from "./testing/sources.ts";

const cases: readonly (readonly [string, readonly string[]])[] = [
  ["", []],
  // unknown and mistyped keys
  ["boundry: auto\n", ["POLICY_KEY_UNKNOWN policy.key-unknown-near 2 boundry"]],
  ["filesystem:\n  allow_read: []\n", ["POLICY_KEY_UNKNOWN policy.key-unknown-near 3 filesystem.allow_read"]],
  ["allowRead: []\n", ["POLICY_KEY_UNKNOWN policy.key-unknown-near 2 allowRead"]],
  ["xyzzy: 1\nplugh: 2\n", ["POLICY_KEY_UNKNOWN policy.key-unknown 2 xyzzy", "POLICY_KEY_UNKNOWN policy.key-unknown 3 plugh"]],
  ["__proto__: {}\n", ["POLICY_KEY_UNKNOWN policy.key-unknown 2 __proto__"]],
  ["constructor: {}\n", ["POLICY_KEY_UNKNOWN policy.key-unknown 2 constructor"]],
  ["filesystem: {__proto__: {}}\n", ["POLICY_KEY_UNKNOWN policy.key-unknown 2 filesystem.__proto__"]],
  ["environment: {set: {__proto__: x}}\n", ["POLICY_KEY_UNKNOWN policy.key-unknown 2 environment.set.__proto__"]],
  ["environment: {set: {constructor: x}}\n", ["POLICY_KEY_UNKNOWN policy.key-unknown 2 environment.set.constructor"]],
  ["approval: {granular: {commands: ask, wat: ask}}\n", ["POLICY_KEY_UNKNOWN policy.key-unknown 2 approval.granular.wat"]],
  // values
  ["approval: nevr\n", ["POLICY_VALUE_INVALID policy.value-choice-near 2 approval"]],
  ["boundary: cloud\n", ["POLICY_VALUE_INVALID policy.value-choice 2 boundary"]],
  ["browser: {a: 1}\n", ["POLICY_KEY_UNSUPPORTED policy.key-unsupported-but 2 browser"]],
  ["browser: [{host: x}]\n", ["POLICY_KEY_UNSUPPORTED policy.key-unsupported-but 2 browser"]],
  ["filesystem: []\n", ["POLICY_VALUE_INVALID policy.value-type 2 filesystem"]],
  ["filesystem: {allowWrite: [~]}\n", ["POLICY_VALUE_INVALID policy.value-null 2 filesystem.allowWrite[0]"]],
  ["metadata: {name: a b}\n", ["POLICY_VALUE_INVALID policy.value-format 2 metadata.name"]],
  ["limits: {wall: 90}\n", ["POLICY_VALUE_INVALID policy.duration-unit-near 2 limits.wall"]],
  ["limits: {wall: soon}\n", ["POLICY_VALUE_INVALID policy.duration-unit 2 limits.wall"]],
  ["limits: {output: 64MB}\n", ["POLICY_VALUE_INVALID policy.size-unit-near 2 limits.output"]],
  ["limits: {output: big}\n", ["POLICY_VALUE_INVALID policy.size-unit 2 limits.output"]],
  [
    "limits: {wall: 25d, returned: 65MiB}\n",
    ["POLICY_VALUE_INVALID policy.value-range 2 limits.wall", "POLICY_VALUE_INVALID policy.value-range 2 limits.returned"],
  ],
  ["limits: {output: 9999999999999999TiB}\n", ["POLICY_VALUE_INVALID policy.value-range 2 limits.output"]],
  ["limits: {cpuTime: 500ms}\n", ["POLICY_VALUE_INVALID policy.value-range 2 limits.cpuTime"]],
  ["limits: {memory: 1MiB}\n", ["POLICY_VALUE_INVALID policy.value-range 2 limits.memory"]],
  ["limits: {disk: 1KiB}\n", ["POLICY_VALUE_INVALID policy.value-range 2 limits.disk"]],
  ["limits: {cpuCores: 0}\n", ["POLICY_VALUE_INVALID policy.value-too-small 2 limits.cpuCores"]],
  ["limits: {processes: 0}\n", ["POLICY_VALUE_INVALID policy.value-too-small 2 limits.processes"]],
  ["filesystem: {denyRead: ['']}\n", ["POLICY_VALUE_INVALID policy.value-empty 2 filesystem.denyRead[0]"]],
  ["limits: {openFiles: 15}\n", ["POLICY_VALUE_INVALID policy.value-too-small 2 limits.openFiles"]],
  ["limits: {openFiles: 2000000}\n", ["POLICY_VALUE_INVALID policy.value-too-big 2 limits.openFiles"]],
  ["limits: {openFiles: 20.5}\n", ["POLICY_VALUE_INVALID policy.value-type 2 limits.openFiles"]],
  ["audit: {retention: 36h}\n", ["POLICY_VALUE_INVALID policy.days 2 audit.retention"]],
  ["audit: {retention: 23h}\n", ["POLICY_VALUE_INVALID policy.value-range 2 audit.retention"]],
  ["commands: [{id: a, verdict: deny}]\n", ["POLICY_VALUE_INVALID policy.key-missing 2 commands[0].match"]],
  [
    "commands: [{id: a, match: {argvPrefix: []}, verdict: deny}]\n",
    ["POLICY_VALUE_INVALID policy.value-empty 2 commands[0].match.argvPrefix"],
  ],
  [
    "commands:\n  - {id: a, match: {argvPrefix: [x]}, verdict: deny}\n  - {id: a, match: {argvPrefix: [y]}, verdict: deny}\n",
    ["POLICY_VALUE_INVALID policy.not-unique 4 commands[1].id"],
  ],
  ["floor: true\n", ["POLICY_VALUE_INVALID policy.floor-not-system 2 floor"]],
  ['environment: {set: {A: "a\\0b"}}\n', ["POLICY_VALUE_INVALID policy.text-nul 2 environment.set.A"]],
  ["tests: [{name: a, request: {}, expect: deny}]\n", ["POLICY_VALUE_INVALID policy.request-not-one 2 tests[0].request"]],
  [
    "tests: [{name: a, request: {read: /a, cwd: /b}, expect: deny}]\n",
    ["POLICY_VALUE_INVALID policy.cwd-without-argv 2 tests[0].request.cwd"],
  ],
  // paths
  ['filesystem: {allowWrite: ["dist/*"]}\n', ["POLICY_VALUE_INVALID policy.path-glob 2 filesystem.allowWrite[0]"]],
  ['filesystem: {denyRead: ["~/../x/*"]}\n', ["POLICY_VALUE_INVALID policy.glob-dots 2 filesystem.denyRead[0]"]],
  ['filesystem: {denyWrite: ["**/*.pem"]}\n', ["POLICY_VALUE_INVALID policy.path-glob 2 filesystem.denyWrite[0]"]],
  ['filesystem: {denyRead: ["a["]}\n', ["POLICY_VALUE_INVALID policy.glob-class 2 filesystem.denyRead[0]"]],
  ...["a/b/c", "../x", "./x", "a/..", "/x", "x/", "*.sh", "n".repeat(64), "né", "a\\b", ""].map(
    (name): readonly [string, readonly string[]] => [
      `filesystem: {protect: {add: [${JSON.stringify(name)}]}}\n`,
      [`POLICY_VALUE_INVALID ${name.length > 63 ? "policy.value-too-big" : "policy.value-format"} 2 filesystem.protect.add[0]`],
    ],
  ),
  ["filesystem: {allowWrite: [/]}\n", ["POLICY_VALUE_INVALID policy.write-root-home 2 filesystem.allowWrite[0]"]],
  ["filesystem: {allowWrite: [..]}\n", ["POLICY_VALUE_INVALID policy.write-root-home 2 filesystem.allowWrite[0]"]],
  ["filesystem: {allowWrite: [/usr]}\n", ["POLICY_VALUE_INVALID policy.write-root-system 2 filesystem.allowWrite[0]"]],
  ["filesystem: {allowWrite: [/etc/x]}\n", ["POLICY_VALUE_INVALID policy.write-root-system 2 filesystem.allowWrite[0]"]],
  ["filesystem: {allowWrite: [/tmp]}\n", ["POLICY_VALUE_INVALID policy.write-root-system 2 filesystem.allowWrite[0]"]],
  ["filesystem: {allowWrite: [/tmp/x, /usr/src/app, /var/www/x, ~/other]}\n", []],
  ["filesystem: {allowWrite: [~/.local]}\n", ["POLICY_VALUE_INVALID policy.write-root-own 2 filesystem.allowWrite[0]"]],
  ...[
    "~/.ssh",
    "~/.ssh/keys",
    "~/.config",
    "~/.config/systemd/user",
    "~/.config/fish",
    "~/.claude",
    "~/.cursor/hooks",
    "~/.codex/worktrees",
    "~/work/.Claude",
  ].map((root): readonly [string, readonly string[]] => [
    `filesystem: {allowWrite: [${root}]}\n`,
    ["POLICY_VALUE_INVALID policy.write-root-trusted 2 filesystem.allowWrite[0]"],
  ]),
  ["filesystem: {allowWrite: [~/.config/editor, ~/work/.ssh, ~/.cursor/worktrees/x, ~/work/.claude/worktrees/x]}\n", []],
  ["filesystem: {allowWrite: [/opt/glovebox/src]}\n", ["POLICY_VALUE_INVALID policy.write-root-own 2 filesystem.allowWrite[0]"]],
  [
    "filesystem: {allowRead: [~/., /opt/glovebox]}\n",
    [
      "POLICY_VALUE_INVALID policy.read-root-home 2 filesystem.allowRead[0]",
      "POLICY_VALUE_INVALID policy.read-root-own 2 filesystem.allowRead[1]",
    ],
  ],
  // environment
  ["environment: {pass: [LD_PRELOAD]}\n", ["POLICY_VALUE_INVALID policy.environment-never 2 environment.pass[0]"]],
  ['environment: {pass: ["L*"]}\n', ["POLICY_VALUE_INVALID policy.environment-never 2 environment.pass[0]"]],
  ['environment: {pass: ["*"]}\n', ["POLICY_VALUE_INVALID policy.value-format 2 environment.pass[0]"]],
  ["environment: {set: {A-B: x}}\n", ["POLICY_VALUE_INVALID policy.environment-name 2 environment.set.A-B"]],
  ["environment: {set: {GLOVEBOX_X: x}}\n", ["POLICY_VALUE_INVALID policy.environment-own 2 environment.set.GLOVEBOX_X"]],
];

test("checkPolicy() names code, situation, line and key of each mistake", () => {
  for (const [body, expected] of cases) assert.deepEqual(check(body), expected, body);
});

const unbuilt: readonly (readonly [string, string])[] = [
  ["extends: ['sha256:0000000000000000000000000000000000000000000000000000000000000000']", "extends"],
  ["boundary: microvm", "boundary"],
  ["approval: untrusted", "approval"],
  ["approval: on-request", "approval"],
  ...["writes", "credentials", "screen"].map(
    (name) => [`approval: {granular: {commands: ask, ${name}: ask}}`, `approval.granular.${name}`] as const,
  ),
  ["approval: {granular: {commands: deny, egress: ask}}", "approval.granular.egress"],
  ["uid: root", "uid"],
  ["outside: [{id: o, program: /usr/bin/id, pin: root, arguments: [], boundary: container}]", "outside[0].boundary"],
  ["acceptRisk: [{what: a, why: b, owner: c, until: '2027-01-01'}]", "acceptRisk[0].what"],
  ["filesystem: {readDefault: none}", "filesystem.readDefault"],
  ["environment: {fakeEnvFiles: true}", "environment.fakeEnvFiles"],
  ...[
    ["methods: [GET]", "methods"],
    ["protocols: [https, http], paths: [/a]", "paths"],
    ["purpose: a", "purpose"],
    ["tasks: [a]", "tasks"],
    ["inspect: true", "inspect"],
  ].map(([text = "", name = ""]) => [`egress: [{id: e, hosts: [a.example.org], verdict: allow, ${text}}]`, `egress[0].${name}`] as const),
  ["browser: [{id: b, verdict: deny}]", "browser"],
  ["credentials: [{id: c, source: env, injector: bearer, hosts: [a.example]}]", "credentials"],
  ['approvals: [{id: a, on: screen, by: ["https://a.test/"]}]', "approvals[0].on"],
  ["audit: {env: none}", "audit.env"],
  ["audit: {treeHead: 10s}", "audit.treeHead"],
  ["audit: {anchors: [a]}", "audit.anchors"],
];

test("checkPolicy() refuses each key that is not built, by name, and nothing else about it", () => {
  for (const [body, key] of unbuilt) {
    const found = checkPolicy(yamlSource(`${body}\n`), facts);
    assert.deepEqual(
      found.map((problem) => [problem.code, problem.key, problem.line]),
      [["POLICY_KEY_UNSUPPORTED", key, 2]],
      body,
    );
  }
});

test("checkPolicy() lists all findings of one file, in the order of its lines", () => {
  const found = check("limits: {wall: 90}\nboundry: auto\nfilesystem:\n  allowWrite: [/]\nextends: [sha256:x]\n");
  assert.deepEqual(found, [
    "POLICY_VALUE_INVALID policy.duration-unit-near 2 limits.wall",
    "POLICY_KEY_UNKNOWN policy.key-unknown-near 3 boundry",
    "POLICY_VALUE_INVALID policy.write-root-home 5 filesystem.allowWrite[0]",
    "POLICY_KEY_UNSUPPORTED policy.key-unsupported-but 6 extends",
  ]);
});

test("checkPolicy() demands the version in files and not in flags", () => {
  const source = (origin: PolicySource["origin"], text: string): PolicySource => ({ origin, label: origin, format: "json", text });
  assert.deepEqual(summaries(checkPolicy(source("user", "{}"), facts)), ["POLICY_VALUE_INVALID policy.version-missing 1 apiVersion"]);
  assert.deepEqual(checkPolicy(source("flags", "{}"), facts), []);
  assert.equal(checkPolicy(source("flags", '{"apiVersion": "glovebox/v2"}'), facts)[0]?.situation, "policy.value-choice-near");
});

test("checkPolicy() gives syntax findings their file and line in each format", () => {
  const texts: readonly (readonly [PolicySource["format"], string, string])[] = [
    ["yaml", "a: 1\n\nb: [\n", "POLICY_SYNTAX policy.yaml-indent 4 "],
    ["json", '{"a": 1,\n}', "POLICY_SYNTAX policy.json-unexpected 2 "],
    ["toml", "a = 1\nb =\n", "POLICY_SYNTAX policy.syntax 2 "],
    ["toml", "a = 1\na = 2\n", "POLICY_SYNTAX policy.syntax 2 "],
    ["yaml", "", "POLICY_SYNTAX policy.not-a-mapping 1 "],
    ["json", "[]", "POLICY_SYNTAX policy.not-a-mapping 1 "],
  ];
  for (const [format, text, expected] of texts)
    assert.deepEqual(summaries(checkPolicy({ origin: "user", label: "f", format, text }, facts)), [expected], text);
});

test("checkPolicy() takes the line of a TOML key", () => {
  const text = 'apiVersion = "glovebox/v1"\n\n[limits]\nwall = "90"\n';
  assert.deepEqual(summaries(checkPolicy({ origin: "user", label: "f", format: "toml", text }, facts)), [
    "POLICY_VALUE_INVALID policy.duration-unit-near 4 limits.wall",
  ]);
});

test("checkPolicy() stays fast and bounded on a file full of mistakes", () => {
  const started = performance.now();
  const found = checkPolicy(yamlSource(Array.from({ length: 15_000 }, (_, index) => `key${index}: 1`).join("\n")), facts);
  assert.ok(found.length >= 100 && found.length < 1000);
  assert.ok(performance.now() - started < 10_000);
});

test("checkPolicy() never shows a value of environment.set", () => {
  const found = checkPolicy(yamlSource('environment: {set: {A: [canary-value], B: "canary\\0value", "C D": canary-value}}\n'), facts);
  assert.equal(found.length, 3);
  assert.ok(!JSON.stringify(found).includes("canary"));
});
