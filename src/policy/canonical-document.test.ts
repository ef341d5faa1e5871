// The published vectors: test/vectors/policy/hash.json freezes the canonical form.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import canonicalize from "canonicalize";
import * as fc from "fast-check";
import * as z from "zod";
import { canonicalJson } from "../kit/canonical-json.ts";
import { loadPolicy } from "./policy.ts";
import { dataSource, facts } from "./testing/sources.ts";

const vectorSchema = z.strictObject({
  about: z.string(),
  home: z.string(),
  projectDirectory: z.string(),
  vectors: z.array(
    z.strictObject({
      name: z.string(),
      why: z.string(),
      documents: z.array(z.strictObject({ format: z.enum(["yaml", "json", "toml"]), text: z.string() })).min(1),
      canonical: z.string(),
      hash: z.string(),
    }),
  ),
});
const { vectors, home, projectDirectory } = vectorSchema.parse(
  JSON.parse(readFileSync(new URL("../../test/vectors/policy/hash.json", import.meta.url), "utf8")),
);

test("loadPolicy() gives each vector's documents its canonical text and hash", () => {
  assert.ok(vectors.length >= 7);
  for (const { name, documents, canonical, hash } of vectors) {
    for (const { format, text } of documents) {
      const policy = loadPolicy([{ origin: "user", label: name, format, text }], { home, projectDirectory });
      assert.equal(canonicalJson(policy.document), canonical, `${name} ${format}`);
      assert.equal(policy.hash, hash, `${name} ${format}`);
    }
  }
});

test("the vectors' canonical texts are RFC 8785 by another implementation, and their hashes plain SHA-256", async () => {
  for (const { canonical, hash } of vectors) {
    assert.equal(canonicalize(JSON.parse(canonical)), canonical);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical));
    assert.equal(`sha256:${Buffer.from(digest).toString("hex")}`, hash);
  }
});

test("the vectors cover every format and differ where the documents differ", () => {
  assert.deepEqual([...new Set(vectors.flatMap(({ documents }) => documents.map(({ format }) => format)))].toSorted(), [
    "json",
    "toml",
    "yaml",
  ]);
  assert.ok(new Set(vectors.map(({ hash }) => hash)).size >= 6);
});

test("loadPolicy() gives a canonical document back its own hash", () => {
  for (const { canonical, hash } of vectors) {
    const document: unknown = JSON.parse(canonical);
    assert.equal(loadPolicy([dataSource(document)], { home, projectDirectory }).hash, hash);
  }
});

test("the hash does not depend on the order of keys and of lists whose order means nothing, and not on the machine", () => {
  const path = fc.constantFrom("./a", "./b", "~/c", "/srv/d", "../e");
  const rule = fc.record({
    match: fc.record({ argvPrefix: fc.array(fc.constantFrom("x", "y"), { minLength: 1, maxLength: 2 }) }),
    verdict: fc.constantFrom("allow", "deny"),
  });
  const parts = fc.record({
    allowRead: fc.array(path),
    denyRead: fc.array(path),
    pass: fc.array(fc.constantFrom("A", "B_*", "C")),
    rules: fc.array(rule, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(parts, ({ allowRead, denyRead, pass, rules }) => {
      const commands = rules.map((one, index) => ({ id: `r${index}`, ...one }));
      const forwards = { apiVersion: "glovebox/v1", filesystem: { allowRead, denyRead }, environment: { pass }, commands };
      const backwards = {
        commands: commands.toReversed(),
        environment: { pass: [...pass, ...pass.toReversed()] },
        filesystem: { denyRead: denyRead.toReversed(), allowRead: allowRead.toReversed() },
        apiVersion: "glovebox/v1",
      };
      const elsewhere = { home: "/home/you", projectDirectory: "/data/p" };
      assert.equal(loadPolicy([dataSource(backwards)], elsewhere).hash, loadPolicy([dataSource(forwards)], facts).hash);
    }),
    { numRuns: 200 },
  );
});
