// One plan, one answer: what is asked again is not looked up again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rememberingTree } from "./remembering-tree.ts";
import { textTree } from "./text-tree.ts";

test("rememberingTree() asks once about each place, also about one that is not there", () => {
  const asked: string[] = [];
  const tree = textTree({ "/a/b": "" });
  const remembered = rememberingTree({
    ...tree,
    look: (path) => {
      asked.push(path);
      return tree.look(path);
    },
  });
  for (const path of ["/a/b", "/none", "/a/b", "/none"]) assert.deepEqual(remembered.look(path), tree.look(path));
  assert.deepEqual(asked, ["/a/b", "/none"]);
  assert.equal(remembered.canonical("/a/b"), "/a/b");
  assert.deepEqual(remembered.names("/a"), ["b"]);
});
