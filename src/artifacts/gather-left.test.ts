// gatherLeft(): what an honest program tells becomes a list; what none tells ends it, and the list says that it is not whole.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CollectedItem } from "../contracts/artifacts.ts";
import { gatherLeft, type GatheredLeft, sectionOf } from "./gather-left.ts";

const entry = (name: string): CollectedItem => ({ kind: "entry", name, type: "file", links: 1, bytes: 3 });
const end = (total: number, isWhole = true): CollectedItem => ({ kind: "end", total, isWhole });

async function* told(items: readonly CollectedItem[]): AsyncGenerator<CollectedItem, void, undefined> {
  yield* items;
}

const gather = (items: readonly CollectedItem[], max = 3): Promise<GatheredLeft> => gatherLeft(told(items), max);

test("gatherLeft() reads what comes behind a section, and both counts", async () => {
  const items = told([entry("handed"), end(1), entry("/a"), entry("/b\udcff"), end(9), end(20, false)]);
  const handed: CollectedItem[] = [];
  for await (const item of sectionOf(items)) handed.push(item);
  assert.deepEqual(handed, [entry("handed"), end(1)]);
  const { files, count, isWhole, inSandbox } = await gatherLeft(items, 3);
  assert.deepEqual(
    files.map(({ path }) => path),
    ["/a", "/b\udcff"],
  );
  assert.deepEqual([count, isWhole, inSandbox], [9, true, { count: 20, isWhole: false }]);
});

test("gatherLeft() keeps what came before a lie or a break, and says that it is not all", async () => {
  const four = ["/a", "/b", "/c", "/d"].map(entry);
  const cases: readonly (readonly [readonly CollectedItem[], number])[] = [
    [[], 0],
    [[entry("/a")], 1],
    [[entry("/a"), entry("relative"), end(2), end(2)], 1],
    [[entry(`/${"x".repeat(5000)}`), end(1), end(1)], 0],
    [[...four, end(4), end(4)], 3],
    [[entry("/a"), { kind: "bytes", bytes: Buffer.from("x") }, end(1), end(1)], 1],
    [[entry("/a"), end(1)], 1],
    [[entry("/a"), end(1), entry("/b"), end(1)], 1],
  ];
  for (const [items, kept] of cases) {
    const { files, isWhole, inSandbox } = await gather(items);
    assert.deepEqual([files.length, isWhole, inSandbox], [kept, false, { count: kept, isWhole: false }]);
  }
});

test("gatherLeft() never counts fewer than it was told of", async () => {
  const { count, inSandbox } = await gather([entry("/a"), entry("/b"), end(0), end(0)]);
  assert.deepEqual([count, inSandbox.count], [2, 2]);
});
