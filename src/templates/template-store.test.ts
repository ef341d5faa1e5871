// What is kept of templates: found whole, refused when anything of it is altered, never taken from under a task, and nothing left of a dead build.
import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { TemplateEntry } from "../contracts/template-door.ts";
import { removeTree } from "../kit/remove-tree.ts";
import { lookThrough, manifestText } from "./manifest.ts";
import {
  keepTree,
  listEntries,
  ownArchitecture,
  prepareStore,
  removeTemplates,
  removeUnused,
  takeTemplate,
  verifyTemplate,
  withStoreLock,
} from "./template-store.ts";

const none = async (): Promise<void> => {};

function openScene(t: TestContext) {
  const directory = realpathSync(mkdtempSync(path.join(os.tmpdir(), "glovebox-templates-")));
  t.after(() => removeTree(directory, { parent: path.dirname(directory) }));
  const used = new Set<string>();
  const store = { directory, idsInUse: async () => used };
  prepareStore(store);
  const keep = async (name: string, text: string, architecture = ownArchitecture): Promise<TemplateEntry> => {
    const made = path.join(directory, "building", name);
    mkdirSync(path.join(made, "root/usr"), { recursive: true });
    writeFileSync(path.join(made, "root/usr/tool"), text);
    const manifest = manifestText({ architecture, entries: await lookThrough(path.join(made, "root"), true) });
    const about = { name, architecture, built: "2026-01-01T00:00:00.000Z", files: 1, bytes: text.length, packages: [], removed: [] };
    return keepTree(store, about, { made, manifest });
  };
  const tool = ({ id }: TemplateEntry): string => path.join(directory, "trees", id.replace("sha256:", ""), "root/usr/tool");
  return { store, used, keep, tool, left: (name: string) => readdirSync(path.join(directory, name)) };
}

test("takeTemplate() tells the journal and hands out what was kept", async (t) => {
  const { store, keep, tool } = openScene(t);
  const entry = await keep("base", "one");
  const held: string[] = [];
  const { id, directory } = await takeTemplate(store, "base", async (told) => void held.push(told));
  assert.deepEqual([id, held], [entry.id, [entry.id]]);
  assert.equal(path.join(directory, "usr/tool"), tool(entry));
  assert.deepEqual(listEntries(store), [entry]);
});

test("takeTemplate() refuses a name that there is none of, or that is none", async (t) => {
  const { store } = openScene(t);
  for (const name of ["base", "../base", "", "Base"])
    await assert.rejects(takeTemplate(store, name, none), { code: "TEMPLATE_UNKNOWN" }, name);
});

test("takeTemplate() refuses one for another architecture", async (t) => {
  const { store, keep } = openScene(t);
  await keep("base", "one", "s390x");
  await assert.rejects(takeTemplate(store, "base", none), { code: "TEMPLATE_FOREIGN" });
});

test("takeTemplate() refuses what was written to, added to, taken from, or has another manifest", async (t) => {
  const damages: readonly (readonly [string, (tool: string) => unknown])[] = [
    ["usr/tool", (tool) => appendFileSync(tool, "x")],
    ["usr/tool", (tool) => utimesSync(tool, 1, 1)],
    ["usr", (tool) => (writeFileSync(`${tool}2`, ""), utimesSync(path.dirname(tool), 9e8, 9e8))],
    ["usr/tool", (tool) => removeTree(tool, { parent: path.dirname(tool) })],
    ["manifest.jsonl", (tool) => appendFileSync(path.join(tool, "../../../manifest.jsonl"), '["l","bin","usr/bin"]\n')],
  ];
  for (const [file, damage] of damages) {
    const { store, keep, tool } = openScene(t);
    const entry = await keep("base", "one");
    const at = statSync(path.dirname(tool(entry))).mtime;
    await damage(tool(entry));
    if (file === "usr/tool") utimesSync(path.dirname(tool(entry)), at, at);
    await assert.rejects(takeTemplate(store, "base", none), { code: "TEMPLATE_ALTERED", values: { template: "base", file } });
  }
});

test("verifyTemplate() finds one byte that keeps size and time", async (t) => {
  const { store, keep, tool } = openScene(t);
  const entry = await keep("base", "one");
  assert.deepEqual((await verifyTemplate(store, "base")).differences, []);
  const { mtime } = statSync(tool(entry));
  writeFileSync(tool(entry), "onf");
  utimesSync(tool(entry), mtime, mtime);
  await takeTemplate(store, "base", none);
  assert.deepEqual((await verifyTemplate(store, "base")).differences, [{ path: "usr/tool", state: "altered" }]);
});

test("removeTemplates() refuses what a task has, and then leaves nothing", async (t) => {
  const { store, used, keep, left } = openScene(t);
  const entry = await keep("base", "one");
  used.add(entry.id);
  await assert.rejects(removeTemplates(store, ["base"]), { code: "STATE_BUSY" });
  used.clear();
  await assert.rejects(removeTemplates(store, ["base", "other"]), { code: "TEMPLATE_UNKNOWN" });
  assert.deepEqual(await removeTemplates(store, ["base"]), ["base"]);
  assert.deepEqual([left("names"), left("trees"), left("building")], [[], [], []]);
});

test("removeUnused() keeps the tree that a task has although its name means another now", async (t) => {
  const { store, used, keep, tool, left } = openScene(t);
  const old = await keep("base", "one");
  used.add(old.id);
  const fresh = await keep("base", "two");
  await removeUnused(store);
  assert.equal(readFileSync(tool(old), "utf8"), "one");
  used.clear();
  await removeUnused(store);
  assert.deepEqual([existsSync(tool(old)), existsSync(tool(fresh)), left("trees").length], [false, true, 1]);
});

test("withStoreLock() lets one build at a time", async (t) => {
  const { store } = openScene(t);
  await withStoreLock(store, () => assert.rejects(withStoreLock(store, none), { code: "STATE_BUSY" }));
});
