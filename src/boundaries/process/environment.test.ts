// Where search directories are looked for, and when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type KnownDirectories, sandboxPath } from "./environment.ts";
import { type TextAttributes, textTree } from "./text-tree.ts";

const tools = "/opt/tools";
const place = { path: tools, kind: "directory", access: "write", identity: "1", around: "absent" } as const;
const view = { places: [place], closed: [], holes: [], later: [], unmade: [], pins: [] };

test("sandboxPath() looks for a directory until it is found, and then no more", () => {
  const known: KnownDirectories = new Map();
  const search = (files: Readonly<Record<string, string>>): string =>
    sandboxPath(`${tools}/bin`, { view, tree: textTree(files), systemLinks: [] }, known);
  assert.equal(search({ [`${tools}/README`]: "" }), "/usr/local/bin:/usr/bin:/bin");
  assert.equal(search({ [`${tools}/bin/tool`]: "" }), `${tools}/bin`);
  assert.equal(search({ [`${tools}/README`]: "" }), `${tools}/bin`);
});

const hidden = "/home/ann/bin";
const fallback = "/usr/local/bin:/usr/bin:/bin";

/** Searches for one sandbox, command after command. @returns what its PATH is, and how often links were followed to find out */
function searcher(): (entry: string, files: Readonly<Record<string, string>>, attributes?: TextAttributes) => readonly [string, number] {
  const known: KnownDirectories = new Map();
  return (entry, files, attributes) => {
    let followed = 0;
    const tree = textTree(files, attributes);
    const canonical = (absolute: string): string | undefined => {
      followed += 1;
      return tree.canonical(absolute);
    };
    const inside = sandboxPath(entry, { view, tree: { ...tree, canonical }, systemLinks: [] }, known);
    return [inside, followed];
  };
}

test("sandboxPath() asks where a directory is that is nowhere inside once, and again when it is another one", () => {
  const search = searcher();
  const files = { [`${hidden}/tool`]: "", [`${tools}/bin/tool`]: "" };
  assert.deepEqual(search(hidden, files), [fallback, 1]);
  assert.deepEqual(search(hidden, files), [fallback, 0]);
  assert.deepEqual(search(hidden, files, { [hidden]: { identity: "another" } }), [fallback, 1]);
  assert.deepEqual(search(hidden, { [hidden]: `-> ${tools}/bin`, [`${tools}/bin/tool`]: "" }, { [hidden]: { identity: "link" } }), [
    `${tools}/bin`,
    1,
  ]);
});

test("sandboxPath() follows a link that leads nowhere inside each time", () => {
  const search = searcher();
  const files = { [hidden]: "-> /home/ann/elsewhere", "/home/ann/elsewhere/tool": "", [`${tools}/bin/tool`]: "" };
  assert.deepEqual(search(hidden, files), [fallback, 1]);
  assert.deepEqual(search(hidden, files), [fallback, 1]);
  assert.deepEqual(search(hidden, { ...files, [hidden]: `-> ${tools}/bin` }), [`${tools}/bin`, 1]);
});
