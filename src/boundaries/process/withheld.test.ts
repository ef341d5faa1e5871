// Which entries open nothing: those below something hidden that not every bound opens at or below it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PathPolicy } from "../../contracts/boundary.ts";
import { withheldPaths } from "./withheld.ts";

const hidden = ["/home/me", "/etc/shadow"];

function withheld(paths: Partial<PathPolicy>): readonly string[] {
  const none = { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [], denyWrite: [] } as const;
  return withheldPaths({ ...none, ...paths }, { hidden: () => hidden, canonical: (path) => path });
}

test("withheldPaths() finds an entry that a bound opens only by a wider entry, above what is hidden", () => {
  const paths = { allowRead: ["/etc/shadow", "/etc/hosts", "/home/me/.ssh"], allowWrite: ["/home/me/project"] };
  assert.deepEqual(withheld({ ...paths, openedWithin: [["/etc", "/home/me/project"]] }), ["/etc/shadow", "/home/me/.ssh"]);
});

test("withheldPaths() asks every bound, and takes an entry at or below what is hidden for its opening", () => {
  const allowRead = ["/home/me/data/part"];
  assert.deepEqual(withheld({ allowRead, openedWithin: [["/home/me/data"], ["/home/me"]] }), []);
  assert.deepEqual(withheld({ allowRead, openedWithin: [["/home/me/data"], ["/home"]] }), allowRead);
  assert.deepEqual(withheld({ allowRead, openedWithin: [["/home/me/data"], []] }), allowRead);
});

test("withheldPaths() withholds nothing where nobody may only narrow", () => {
  assert.deepEqual(withheld({ allowRead: ["/etc/shadow"] }), []);
});
