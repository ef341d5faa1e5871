// Each wall with a planted violation: a checker that cannot find one proves nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wallFindings } from "./check-walls.ts";
import { fileShape } from "./checks/file-shape.ts";

const violations: readonly (readonly [name: string, file: string, source: string, expected: RegExp])[] = [
  [
    "a sibling of the middle rooms",
    "src/policy/decide.ts",
    'import { x } from "../ledger/ledger.ts";',
    /policy may import contracts, kit, texts/u,
  ],
  ["a type import", "src/policy/decide.ts", 'import type { X } from "../ledger/ledger.ts";', /ledger\/ledger/u],
  ["an import type", "src/policy/decide.ts", 'type X = import("../ledger/ledger.ts").X;', /ledger\/ledger/u],
  ["a dynamic import", "src/cli/cli.ts", 'await import("../broker/broker.ts");', /cli may import/u],
  ["a dynamic import of an expression", "src/cli/cli.ts", "await import(name);", /literal/u],
  ["a re-export", "src/policy/policy.ts", 'export * from "../ledger/ledger.ts";', /ledger\/ledger/u],
  ["a named re-export", "src/policy/policy.ts", 'export { x } from "../ledger/ledger.ts";', /ledger\/ledger/u],
  ["a side-effect import", "src/policy/policy.ts", 'import "../ledger/ledger.ts";', /ledger\/ledger/u],
  [
    "a room behind its front file",
    "src/broker/broker.ts",
    'import { x } from "../ledger/tree-head.ts";',
    /Enter through src\/ledger\/ledger.ts/u,
  ],
  ["a boundary outside compose", "src/broker/broker.ts", 'import { x } from "../boundaries/process/process.ts";', /src\/compose.ts alone/u],
  ["a boundary from the start", "src/start.ts", 'import { x } from "./boundaries/process/process.ts";', /src\/compose.ts alone/u],
  ["a sibling boundary", "src/boundaries/process/process.ts", 'import { x } from "../memory/memory.ts";', /src\/compose.ts alone/u],
  [
    "the broker from a boundary",
    "src/boundaries/process/process.ts",
    'import { x } from "../../broker/broker.ts";',
    /may import contracts, kit, guard/u,
  ],
  ["the writer from the verifier", "src/ledger/verify.ts", 'import { x } from "./merkle.ts";', /independent reader/u],
  ["the writer from below the verifier", "src/ledger/verify/heads.ts", 'import { x } from "../merkle.ts";', /independent reader/u],
  ["a built-in in contracts", "src/contracts/ids.ts", 'import path from "node:path";', /hand in/u],
  ["a built-in in the policy", "src/policy/read.ts", 'import { readFileSync } from "node:fs";', /hand in/u],
  ["child_process outside kit/spawn.ts", "src/guard/guard.ts", 'import { spawn } from "node:child_process";', /src\/kit\/spawn.ts/u],
  ["a package that the room may not use", "src/kit/digest.ts", 'import { z } from "zod";', /no package/u],
  ["a package that nobody listed", "src/ledger/ledger.ts", 'import x from "@scope/left-pad/sub";', /package @scope\/left-pad/u],
  ["a file outside src", "src/kit/digest.ts", 'import x from "../../test/fixtures/x.ts";', /Move what is needed into src/u],
  ["a room without a rule", "src/surprise/surprise.ts", 'import x from "node:fs";', /no rule/u],
  ["a built-in without an import", "src/broker/broker.ts", 'process.getBuiltinModule("node:child_process");', /without an import/u],
  ["a require of one's own", "src/broker/broker.ts", 'import { createRequire } from "node:module";', /without an import/u],
  ["a recursive delete", "src/broker/reaper.ts", "await rm(target, { recursive: true, force: true });", /deletes a tree/u],
  [
    "a recursive delete through fs",
    "src/broker/reaper.ts",
    "fs.rmSync(target, { recursive });\nfs.promises.rm(t, { recursive: deep });",
    /deletes a tree/u,
  ],
];

for (const [name, file, source, expected] of violations) {
  test(`wallFindings() finds ${name}`, () => {
    const findings = wallFindings(file, source);
    assert.notEqual(findings.length, 0);
    assert.match(`${findings[0]?.problem} ${findings[0]?.fix}`, expected);
  });
}

test("wallFindings() names file and line", () => {
  assert.deepEqual(
    wallFindings("src/policy/x.ts", '// a\n// b\nimport "../ledger/ledger.ts";').map((finding) => finding.place),
    ["src/policy/x.ts:3"],
  );
});

test("wallFindings() lets through what the table allows", () => {
  const allowed: readonly (readonly [string, string])[] = [
    ["src/policy/policy.ts", 'import { x } from "./decide.ts"; import { z } from "zod"; import { digest } from "../kit/digest.ts";'],
    ["src/broker/broker.ts", 'import { x } from "../ledger/ledger.ts"; import { y } from "../contracts/boundary.ts";'],
    ["src/compose.ts", 'import { x } from "./boundaries/process/process.ts";'],
    ["src/start.ts", 'import { x } from "./compose.ts"; import { y } from "./cli/cli.ts";'],
    ["src/ledger/verify.ts", 'import { x } from "./verify/heads.ts"; import { y } from "../kit/canonical-json.ts";'],
    [
      "src/conformance/process.conformance.test.ts",
      'import { x } from "../boundaries/process/process.ts"; import { y } from "./conformance.ts";',
    ],
    ["src/contracts/ids.test.ts", 'import { test } from "node:test"; import fc from "fast-check";'],
    ["src/kit/remove-tree.ts", "await rm(target, { recursive: true });"],
    ["src/broker/one-file.ts", "await rm(target, { force: true });"],
  ];
  for (const [file, source] of allowed) assert.deepEqual(wallFindings(file, source), [], file);
});

test("wallFindings() refuses a source that it cannot read", () => {
  assert.throws(() => wallFindings("src/policy/x.ts", "import {"), /Cannot parse/u);
});

test("fileShape() finds an empty name, a wrong case, a missing first line and a file that is too long", () => {
  const problems = (file: string, text: string): string =>
    fileShape(file, text)
      .map((finding) => finding.problem)
      .join("; ");
  assert.match(problems("src/kit/utils.ts", "// x\n"), /says nothing/u);
  assert.match(problems("src/kit/types.test.ts", "// x\n"), /says nothing/u);
  assert.match(problems("src/kit/someThing.ts", "// x\n"), /kebab/u);
  assert.match(problems("src/kit/a.ts", "export const a = 1;\n"), /first line/u);
  assert.match(problems("native/a.sh", "#!/bin/sh\nset -e\n"), /first line/u);
  assert.match(problems("src/kit/a.ts", `// x\n${"\n".repeat(400)}`), /401 lines/u);
  assert.equal(problems("src/kit/good-name.ts", `// x\n${"\n".repeat(399)}`), "");
});
