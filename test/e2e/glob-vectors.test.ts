// The masker's matcher answers the published rows (test/vectors/policy/globs.json), as src/kit/path-glob.ts does in its own test.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { encodeByteText } from "../../src/kit/byte-text.ts";
import { globSegments } from "../../src/kit/path-glob.ts";

const root = path.join(import.meta.dirname, "..", "..");
const kinds = { literal: 1, glob: 2, any: 3 } as const;

interface Row {
  readonly pattern: string;
  readonly path?: string;
  readonly pathHex?: string;
  readonly matches: boolean;
  readonly folds?: true;
}

function encode({ pattern, path: text, pathHex, folds }: Row): Buffer {
  const segments = globSegments(pattern).map(({ kind, text: name }) => {
    const bytes = encodeByteText(name);
    return Buffer.concat([Buffer.from([kinds[kind], bytes.length & 255, bytes.length >> 8]), bytes]);
  });
  const rule = Buffer.concat(segments);
  const asked = text === undefined ? Buffer.from(pathHex ?? "", "hex") : Buffer.from(text);
  const header = Buffer.alloc(5);
  header.writeUInt8(folds === true ? 1 : 0, 0);
  header.writeUInt16LE(rule.length, 1);
  header.writeUInt16LE(asked.length, 3);
  return Buffer.concat([header, rule, asked]);
}

test("the masker's matcher answers every published row", () => {
  const { rows } = JSON.parse(readFileSync(path.join(root, "test/vectors/policy/globs.json"), "utf8")) as { readonly rows: readonly Row[] };
  assert.ok(rows.length >= 50);
  const result = spawnSync(path.join(root, "build/test/glob-rows"), { input: Buffer.concat(rows.map(encode)), encoding: "utf8" });
  assert.deepEqual([result.status, result.stderr], [0, ""]);
  const answers = result.stdout.trimEnd().split("\n");
  assert.equal(answers.length, rows.length);
  for (const [index, row] of rows.entries()) assert.equal(answers[index], row.matches ? "1" : "0", JSON.stringify(row));
});
