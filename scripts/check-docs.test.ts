// Each kind of stale name in a document, planted and found.
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentFindings, sourceFindings } from "./check-docs.ts";
import type { DocsFacts } from "./checks/docs-facts.ts";
import { anchorOf } from "./checks/markdown.ts";

const files = new Map([
  ["src/main.ts", ""],
  ["test/e2e/run.test.ts", 'test("run() keeps its word", () => {});'],
  ["ARCHITECTURE.md", "# Walls & rooms\n"],
]);

const facts: DocsFacts = {
  root: "/nowhere",
  npmScripts: new Set(["check"]),
  subcommands: new Set(["run", "policy", "policy check"]),
  errorCodes: new Set(["POLICY_DENIED", "INTERNAL"]),
  invariants: new Set(["I-01", "I-02"]),
  exists: (name) => files.has(name) || name === "README.md" || name === "src/**",
  readText: (name) => files.get(name) ?? "",
};

const problems = (text: string, file = "README.md"): string[] =>
  documentFindings(file, text, facts).map((finding) => `${finding.place} ${finding.problem}`);

const stale: readonly (readonly [name: string, text: string, expected: RegExp])[] = [
  ["a file", "see `src/gone.ts`", /README.md:1 "src\/gone.ts" does not exist/u],
  ["a file with a line", "a\n\nsee `src/gone.ts:12`", /README.md:3/u],
  ["a document", "see `SECURITY.md`", /SECURITY/u],
  ["a subcommand", "run `./glovebox explode`", /no command "explode"/u],
  ["a subcommand after options", "```sh\n./glovebox --yes --lang=zh explode -- x\n```", /README.md:2 .*"explode"/u],
  ["a part of a subcommand", "`glovebox policy frob FILE`", /"policy frob"/u],
  ["a script", "`npm run frob`", /no script "frob"/u],
  ["an error code", "`POLICY_DENIDE`", /no error code/u],
  ["an invariant", "as I-17 says", /I-17/u],
  ["a link", "[x](docs/gone.md)", /docs\/gone.md/u],
  ["a heading", "[x](ARCHITECTURE.md#nowhere)", /no heading "#nowhere"/u],
  ["a test file", "`test/e2e/gone.test.ts: x`", /gone.test.ts" does not exist/u],
  ["a test", "`test/e2e/run.test.ts: run() breaks`", /has no test "run\(\) breaks"/u],
];

for (const [name, text, expected] of stale) {
  test(`documentFindings() finds ${name} that does not exist`, () => {
    assert.match(problems(text).join("\n"), expected);
  });
}

test("documentFindings() accepts what exists, and what is no name of ours", () => {
  const text = [
    "`src/main.ts:4` `src/**` `src/<room>/<room>.ts` [a](ARCHITECTURE.md#walls--rooms) [web](https://example.org) I-01",
    "`glovebox run -- CMD` `glovebox --json policy check FILE` `npm run check` `POLICY_DENIED` `CAP_SYS_PTRACE` `NO_COLOR`",
    "`test/e2e/run.test.ts: keeps its word` `~/.config/glovebox/policy.yaml` `/usr/bin/bwrap`",
  ].join("\n");
  assert.deepEqual(problems(text), []);
});

test("documentFindings() finds an invariant of the threat model without a test", () => {
  const table = "| invariant | test |\n|---|---|\n| I-01 | `test/e2e/run.test.ts` |\n| I-02 | none |\n";
  assert.deepEqual(problems(table, "THREAT-MODEL.md"), ["THREAT-MODEL.md:4 I-02 names no test"]);
  assert.deepEqual(problems(table.replace("none", "pending"), "THREAT-MODEL.md"), []);
  assert.match(problems(table.split("\n").slice(0, 3).join("\n"), "THREAT-MODEL.md").join(), /I-02 has no row/u);
});

test("documentFindings() finds a number that nothing enforces", () => {
  const table =
    "| promise | enforced by |\n|---|---|\n| 1 ms | enforced: `src/main.ts` |\n| 2 ms | soon |\n| 3 ms | enforced: `bench/gone.ts` |\n| 4 ms | pending |\n";
  const found = problems(table, "SPECIFICATION.md");
  assert.ok(found.some((line) => line.startsWith("SPECIFICATION.md:4")));
  assert.ok(found.some((line) => line.startsWith("SPECIFICATION.md:5")));
  assert.equal(
    found.some((line) => /:[36] /u.test(line)),
    false,
  );
});

test("anchorOf() names headings as links do", () => {
  assert.equal(anchorOf("Walls & rooms, 2nd"), "walls--rooms-2nd");
});

test("sourceFindings() finds an invariant and a document that a comment names and that do not exist", () => {
  const source = "// INVARIANT I-01, I-03\n// docs/gone.md says why; README.md says what\n";
  const found = sourceFindings("src/a.ts", source, facts).map((finding) => `${finding.place} ${finding.problem}`);
  assert.deepEqual(found, ["src/a.ts:1 I-03 is not defined", 'src/a.ts:2 "docs/gone.md" does not exist']);
});
