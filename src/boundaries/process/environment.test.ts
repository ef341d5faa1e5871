// Where search directories are looked for, and when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sandboxPath } from "./environment.ts";
import { textTree } from "./text-tree.ts";

const tools = "/opt/tools";
const place = { path: tools, kind: "directory", access: "write", identity: "1", around: "absent" } as const;
const view = { places: [place], closed: [], holes: [], later: [], unmade: [], pins: [] };

test("sandboxPath() looks for a directory until it is found, and then no more", () => {
  const found = new Map<string, string>();
  const search = (files: Readonly<Record<string, string>>): string =>
    sandboxPath(`${tools}/bin`, { view, tree: textTree(files), systemLinks: [] }, found);
  assert.equal(search({ [`${tools}/README`]: "" }), "/usr/local/bin:/usr/bin:/bin");
  assert.equal(search({ [`${tools}/bin/tool`]: "" }), `${tools}/bin`);
  assert.equal(search({ [`${tools}/README`]: "" }), `${tools}/bin`);
});
