// The committed ledger vectors are what the generator makes, and the verifier says of each what it promises.
import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { verifyLedger } from "../../../src/ledger/ledger.ts";
import { withStateDirectory } from "../../../src/ledger/testing/ledger-fixture.ts";
import { type Vector, generateVectors, vectorText } from "./generate.ts";

const directory = import.meta.dirname;
const names = (await readdir(directory)).flatMap((name) => (name.endsWith(".json") ? path.basename(name, ".json") : [])).toSorted();

async function verifyVector(vector: Vector): Promise<Awaited<ReturnType<typeof verifyLedger>>> {
  return withStateDirectory(async (state) => {
    for (const [file, content] of Object.entries(vector.files)) {
      await mkdir(path.dirname(path.join(state, file)), { recursive: true });
      await writeFile(path.join(state, file), Buffer.from(content, "base64"));
    }
    const publicKeyFile = `${state}.pub`;
    await writeFile(publicKeyFile, vector.publicKey);
    return verifyLedger({ directory: state, publicKeyFile });
  });
}

test("the committed ledger vectors equal the generator's output", async () => {
  const vectors = await generateVectors();
  assert.deepEqual(
    names,
    vectors.map(({ name }) => name),
  );
  for (const vector of vectors) {
    assert.equal(await readFile(path.join(directory, `${vector.name}.json`), "utf8"), vectorText(vector), vector.name);
  }
});

for (const name of names) {
  const vector = JSON.parse(await readFile(path.join(directory, `${name}.json`), "utf8")) as Vector;
  test(`verifyLedger() exits ${vector.expect.exit} for ${vector.name}: ${vector.why}`, async () => {
    const report = await verifyVector(vector);
    assert.equal(report.exit, vector.expect.exit, JSON.stringify(report.findings));
    if (vector.expect.seq !== undefined) {
      assert.ok(
        report.findings.some(({ exit, seq }) => exit === vector.expect.exit && seq === vector.expect.seq),
        JSON.stringify(report.findings),
      );
    }
  });
}
