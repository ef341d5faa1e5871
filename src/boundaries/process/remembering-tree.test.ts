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

test("rememberingTree() says where a place really lies, as the tree itself does", () => {
  const tree = textTree({
    "/usr/bin/sh": "",
    "/bin": "-> usr/bin",
    "/etc/mtab": "-> /proc/mounts",
    "/proc/mounts": "",
    "/lost": "-> /none",
  });
  const remembered = rememberingTree(tree);
  const paths = [
    "/",
    "/bin",
    "/bin/sh",
    "/bin/none",
    "/usr/bin/sh",
    "/etc/mtab",
    "/lost",
    "/lost/below",
    "/none/a",
    "/usr/../bin/sh",
    "/usr/",
  ];
  for (const path of paths) assert.equal(remembered.canonical(path), tree.canonical(path), path);
});
