// What commands handed back, through the library: listed, read and verified, while their sandbox is open and after it. INVARIANT I-13
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, test } from "node:test";
import { code, makeWorld } from "../fixtures/library-world.ts";

const { glovebox, project, stateHome } = await makeWorld({ after }, "hold");
const policy = { boundary: "container" };

/** Where the bytes of one command are kept. */
async function piecesOf(task: string, action: string): Promise<string> {
  const kept = path.join(stateHome, "glovebox/artifacts");
  const name = (await readdir(kept)).find((candidate) => candidate.startsWith(task)) ?? "";
  return path.join(kept, name, action);
}

test("the files of each command of a sandbox are listed and read by name and by digest, while it is open and after", async () => {
  const sandbox = await glovebox.open({ project, policy });
  const script = 'printf "$1" > "$OUTPUT_DIR/same"; printf "$1" > "$OUTPUT_DIR/$1.txt"; mkdir "$OUTPUT_DIR/tree"';
  for (const word of ["one", "two"]) await sandbox.exec(["sh", "-c", script, "sh", word]);
  const artifacts = glovebox.artifacts(sandbox.task);
  const sha256 = createHash("sha256").update("one").digest("hex");
  const look = async (): Promise<void> => {
    const commands = await artifacts.list();
    const rows = commands.map(({ untrusted, isWhole, artifacts: files, others }) => ({
      untrusted,
      isWhole,
      names: files.map(({ name }) => name).toSorted(),
      others: others.map(({ name, kind, why }) => `${name} ${kind} ${why}`),
    }));
    const row = (last: string) => ({ untrusted: true, isWhole: true, names: [last, "same"].toSorted(), others: ["tree directory kind"] });
    assert.deepEqual(rows, [row("one.txt"), row("two.txt")]);
    const found = await artifacts.get("one.txt");
    assert.deepEqual([found.untrusted, found.artifact], [true, { name: "one.txt", bytes: 3, sha256, mediaType: "text/plain" }]);
    assert.equal(Buffer.concat([...found.parts]).toString(), "one");
    await assert.rejects(artifacts.get("same"), code("ARTIFACT_UNKNOWN"));
    const second = commands[1]?.action ?? "";
    assert.equal(Buffer.concat([...(await artifacts.get("same", { action: second })).parts]).toString(), "two");
  };
  await look();
  await sandbox.close();
  await look();
  await assert.rejects(artifacts.get("three.txt"), code("ARTIFACT_UNKNOWN"));
  await assert.rejects(glovebox.artifacts(`${sandbox.task.slice(0, -4)}0000`).list(), code("TASK_UNKNOWN"));
});

test("bytes that are not those that were recorded are refused with a code, and verify names the file", async () => {
  const script = 'head -c 20M /dev/zero > "$OUTPUT_DIR/large"; echo small > "$OUTPUT_DIR/small"';
  const result = await glovebox.run(["sh", "-c", script], { project, policy });
  assert.deepEqual(result.artifacts?.first.map(({ name }) => name).toSorted(), ["large", "small"]);
  const artifacts = glovebox.artifacts(result.task);
  const states = async () => Object.fromEntries((await artifacts.verify()).map(({ name = "", state }) => [name, state]));
  assert.deepEqual(await states(), { large: "good", small: "good" });
  const directory = await piecesOf(result.task, result.action);
  const [middle = ""] = (await readdir(directory)).toSorted().slice(1);
  const bytes = await readFile(path.join(directory, middle));
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  await writeFile(path.join(directory, middle), bytes);
  const { parts } = await artifacts.get("large");
  assert.throws(() => [...parts], code("ARTIFACT_ALTERED"));
  assert.deepEqual(await states(), { large: "altered", small: "good" });
});
