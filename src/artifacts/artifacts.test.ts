// What a command hands back: gathered from what is told inside, held to its bounds whoever tells, and read again as it was written.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { ArtifactBounds, CollectedItem } from "../contracts/artifacts.ts";
import { taskIdSchema } from "../contracts/ids.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import { checkArtifacts, gatherArtifacts, type GatheredArtifacts, type KeptArtifacts, listArtifacts, openArtifact } from "./artifacts.ts";

const task = taskIdSchema.parse("t-0193f0c2a1b2-4d5e6f708192");
const [first, second] = ["a-0193f0c2a1b2-4d5e6f708192", "a-0193f0c2a1b2-4d5e6f708193"];
const flip = (name: string, bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ (0x5a + name.length));

const entry = (name: string, bytes: number, type: "file" | "link" = "file"): CollectedItem => ({
  kind: "entry",
  name,
  type,
  links: 1,
  bytes,
});
const bytes = (text: string): CollectedItem => ({ kind: "bytes", bytes: Buffer.from(text) });
const content = (length: number, state: "whole" | "changed" | "tooLarge" = "whole"): CollectedItem => ({
  kind: "content",
  bytes: length,
  state,
});
const end = (total: number): CollectedItem => ({ kind: "end", total, isWhole: true });
const file = (name: string, text: string): readonly CollectedItem[] => [entry(name, text.length), bytes(text), content(text.length)];

function directory(t: TestContext): string {
  const root = mkdtempSync(path.join(tmpdir(), "glovebox-artifacts-"));
  t.after(() => rm(root, { recursive: true }));
  return root;
}

async function* told(items: readonly CollectedItem[]): AsyncGenerator<CollectedItem, void, undefined> {
  yield* items;
}

const gather = (root: string, items: readonly CollectedItem[], action = first, bounds: ArtifactBounds = { count: 10, bytes: 1000 }) =>
  gatherArtifacts(told(items), { place: { directory: root, action }, seal: flip, bounds });

function recordOf({ pieces, place }: GatheredArtifacts, action = first): StoredRecord {
  const about = { seq: 1, ts: "2030-01-01T00:00:00.000Z", task, action, policy: undefined, body: {} };
  return { ...about, type: "execution.artifacts", detail: { pieces, place, until: "2030-01-01" } };
}

const keptIn = (root: string): KeptArtifacts => ({ directoryOf: () => root, unseal: flip });
const textOf = (parts: Iterable<Uint8Array>): string => Buffer.concat([...parts]).toString();

test("openArtifact() reads back what gatherArtifacts() kept, by name or digest, and no bytes lie there plain", async (t) => {
  const root = directory(t);
  const found = await gather(root, [...file("a\nb", "canary-one"), ...file("\udcff", "two"), entry("l", 4, "link"), end(5)]);
  assert.ok(found !== undefined);
  assert.deepEqual(
    [found.list.others, found.list.missed, found.list.isWhole],
    [[{ name: "l", kind: "link", bytes: 4, why: "kind" }], 2, true],
  );
  const records = [recordOf(found)];
  const { artifact, parts } = openArtifact(records, keptIn(root), { task, name: "a\nb" });
  assert.equal(textOf(parts), "canary-one");
  const byDigest = openArtifact(records, keptIn(root), { task, name: `sha256:${artifact.sha256}` });
  assert.equal(byDigest.artifact.name, "a\nb");
  assert.equal(textOf(openArtifact(records, keptIn(root), { task, name: "\udcff" }).parts), "two");
  for (const name of readdirSync(path.join(root, first)))
    assert.doesNotMatch(readFileSync(path.join(root, first, name), "latin1"), /canary/u);
});

test("gatherArtifacts() keeps nothing of a directory in which nothing is", async (t) => {
  const root = directory(t);
  assert.equal(await gather(root, [end(0)]), undefined);
  assert.deepEqual(readdirSync(root), []);
});

test("gatherArtifacts() says that the list is not whole when the telling breaks off, and keeps what was told whole", async (t) => {
  for (const rest of [[], [entry("half", 4), bytes("ha")], [entry("half", 4), bytes("ha"), end(2)]]) {
    const found = await gather(directory(t), [...file("a", "one"), ...rest]);
    assert.deepEqual([found?.list.artifacts.map(({ name }) => name), found?.list.isWhole], [["a"], false]);
  }
});

test("gatherArtifacts() stops at what no honest program tells, and never keeps more than its bounds", async (t) => {
  const many = Array.from({ length: 2000 }, (_, at) => entry(`l${at}`, 0, "link"));
  const lies: readonly (readonly CollectedItem[])[] = [
    [bytes("of no entry")],
    [content(0)],
    [entry("a", 1), entry("b", 1)],
    [entry("a", 4), bytes("four"), content(5)],
    [entry("a", 2000), bytes("x".repeat(999)), bytes("yy"), content(1001)],
    [end(0), entry("late", 1)],
    many,
  ];
  for (const items of lies) {
    const found = await gather(directory(t), items);
    assert.equal(found?.list.artifacts.length ?? 0, 0);
    assert.ok((found?.list.others.length ?? 0) <= 1010);
    if (items[0]?.kind !== "end") assert.equal(found?.list.isWhole, false);
  }
});

test("gatherArtifacts() names what was too large, and says of a file that it changed while it was read", async (t) => {
  const found = await gather(directory(t), [
    entry("huge", 5000),
    content(0, "tooLarge"),
    entry("live", 4),
    bytes("li"),
    content(2, "changed"),
    end(2),
  ]);
  assert.deepEqual(found?.list.others, [{ name: "huge", kind: "file", bytes: 5000, why: "tooLarge" }]);
  assert.deepEqual([found?.list.artifacts[0]?.bytes, found?.list.artifacts[0]?.isChanged], [2, true]);
});

test("openArtifact() asks which command is meant where several handed back the name", async (t) => {
  const root = directory(t);
  const [one, other] = [await gather(root, [...file("a", "one"), end(1)]), await gather(root, [...file("a", "other"), end(1)], second)];
  assert.ok(one !== undefined && other !== undefined);
  const records = [recordOf(one), recordOf(other, second)];
  assert.throws(() => openArtifact(records, keptIn(root), { task, name: "a" }), {
    code: "ARTIFACT_UNKNOWN",
    situation: "artifact.several",
  });
  assert.equal(textOf(openArtifact(records, keptIn(root), { task, name: "a", action: second }).parts), "other");
  assert.throws(() => openArtifact(records, keptIn(root), { task, name: "b" }), { code: "ARTIFACT_UNKNOWN" });
});

test("checkArtifacts() and openArtifact() find what was altered, and what is gone", async (t) => {
  const root = directory(t);
  const found = await gather(root, [...file("a", "one"), end(1)]);
  assert.ok(found !== undefined);
  const records = [recordOf(found)];
  assert.deepEqual(checkArtifacts(records, keptIn(root)), [{ action: first, name: "a", state: "good" }]);
  const piece = path.join(root, first, "0");
  const altered = readFileSync(piece);
  altered.writeUInt8(altered.readUInt8(0) ^ 1, 0);
  writeFileSync(piece, altered);
  assert.deepEqual(checkArtifacts(records, keptIn(root)), [{ action: first, state: "altered" }]);
  await rm(path.join(root, first), { recursive: true });
  assert.deepEqual(checkArtifacts(records, keptIn(root)), [{ action: first, state: "gone" }]);
  assert.throws(() => openArtifact(records, keptIn(root), { task, name: "a" }), { code: "ARTIFACT_EXPIRED" });
  assert.deepEqual(listArtifacts(records, keptIn(root))[0]?.artifacts, []);
});
