// Every link on the way to a denied path has a name that must stay denied when the link is replaced.
import assert from "node:assert/strict";
import { test } from "node:test";
import { namesThroughLinks } from "./names-through-links.ts";
import { textTree } from "./text-tree.ts";

test("namesThroughLinks() names what lies behind each link, one after the other", () => {
  const tree = textTree({ "/project/nest": "-> away", "/project/away": "-> /lair", "/lair/deep/vault": "" });
  assert.deepEqual(namesThroughLinks(tree, "/project/nest/deep/vault"), ["/project/nest/deep/vault", "/project/away/deep/vault"]);
});

test("namesThroughLinks() names a link that is the path itself, by where it really lies", () => {
  const tree = textTree({ "/home/me": "-> /data/me", "/data/me/.env": "-> shared.env", "/data/me/shared.env": "" });
  assert.deepEqual(namesThroughLinks(tree, "/home/me/.env"), ["/home/me/.env", "/data/me/.env"]);
});

test("namesThroughLinks() names nothing where no link is, and ends in a ring of links", () => {
  assert.deepEqual(namesThroughLinks(textTree({ "/a/b": "" }), "/a/b"), []);
  assert.deepEqual(namesThroughLinks(textTree({ "/a/b": "" }), "/a/none/c"), []);
  assert.equal(namesThroughLinks(textTree({ "/a": "-> b", "/b": "-> a" }), "/a").length, 40);
});
