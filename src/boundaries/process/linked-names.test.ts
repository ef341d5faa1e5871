// Second names of what a pattern matched, against a file tree made of text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { refuseLinkedNames, refuseShownNames } from "./linked-names.ts";
import type { Rule } from "./rules.ts";
import { type TextAttributes, textTree } from "./text-tree.ts";

const files = { "/usr/bin/sh": "", "/home/ann/notes": "", "/p/.env": "", "/p/sub/.env": "", "/p/x": "", "/p/venv/.env/inner": "" };
const rules: readonly Rule[] = [
  { path: "/usr", effect: "show", origin: "built-in" },
  { path: "/p", effect: "write", origin: "policy" },
  { path: "/home/ann", effect: "hide", origin: "built-in" },
];

/** @param names of one file, which has `links` names in all */
function outcome(names: readonly string[], masked: readonly string[], links = names.length, more: TextAttributes = {}): string {
  const tree = textTree(files, { ...Object.fromEntries(names.map((name) => [name, { links, identity: "one" }])), ...more });
  try {
    refuseShownNames(masked, rules, tree);
    return "nothing";
  } catch (error) {
    assert.ok(error instanceof GloveboxError);
    return `${error.situation} ${error.values["path"]} ${error.values["other"] ?? "-"}`;
  }
}

test("refuseShownNames() refuses another name that is shown and that no pattern covers, and names both", () => {
  assert.equal(outcome(["/p/.env", "/p/x"], ["/p/.env"]), "wall.second-name /p/.env /p/x");
  assert.equal(outcome(["/p/.env", "/p/sub/.env", "/usr/bin/sh"], ["/p/.env", "/p/sub/.env"]), "wall.second-name /p/.env /usr/bin/sh");
  assert.equal(outcome(["/p/venv/.env/inner", "/p/x"], ["/p/venv/.env"]), "wall.second-name /p/venv/.env/inner /p/x");
});

test("refuseShownNames() lets other names be that are masked too, or that nobody inside sees", () => {
  assert.equal(outcome(["/p/.env"], ["/p/.env"]), "nothing");
  assert.equal(outcome(["/p/.env", "/p/sub/.env"], ["/p/.env", "/p/sub/.env"]), "nothing");
  assert.equal(outcome(["/p/.env", "/home/ann/notes"], ["/p/.env"]), "nothing");
  assert.equal(outcome(["/p/.env"], ["/p/.env"], 2), "nothing");
  assert.equal(outcome(["/p/.env", "/p/x"], []), "nothing");
});

test("refuseShownNames() counts a name in a directory that is mounted twice once", () => {
  const twice = { "/p": { identity: "mounted" }, "/p/sub": { identity: "mounted" } };
  assert.equal(
    outcome(["/p/.env", "/p/sub/.env", "/usr/bin/sh"], ["/p/.env", "/p/sub/.env"], 2, twice),
    "wall.second-name /p/.env /usr/bin/sh",
  );
});

test("refuseLinkedNames() does not look among what is shown for names that all lie in what is denied", () => {
  const denied: Rule = { path: "/p/venv", effect: "hide", origin: "policy" };
  const looked: string[] = [];
  const watch = (names: readonly string[], links: number): readonly string[] => {
    const tree = textTree(
      { ...files, "/p/venv/a": "", "/p/venv/b": "" },
      Object.fromEntries(names.map((name) => [name, { links, identity: "one" }])),
    );
    looked.length = 0;
    refuseLinkedNames([...rules, denied], { ...tree, survey: (path, most) => (looked.push(path), tree.survey(path, most)) });
    return looked.filter((path) => path.startsWith("/usr/"));
  };
  assert.deepEqual(watch(["/p/venv/a", "/p/venv/b"], 2), []);
  assert.deepEqual(watch(["/p/venv/a", "/p/venv/b"], 3), ["/usr/bin"]);
});

test("refuseShownNames() refuses where it cannot look", () => {
  const tree = textTree(files, { "/p/.env": { links: 2, identity: "one" }, "/p/sub": { mode: 0 } });
  assert.throws(() => refuseShownNames(["/p/.env"], rules, tree), { situation: "wall.names-unknown" });
});

test("the searches refuse, and skip nothing, when there is more to look at or to keep than their bounds", () => {
  const denied: Rule = { path: "/p/venv", effect: "hide", origin: "policy" };
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`/p/venv/f${index}`, { links: 2, identity: `i${index}` }]));
  const names = Object.fromEntries(Object.keys(many).map((name) => [name, ""]));
  const tree = textTree({ ...files, ...names }, { ...many, "/p/.env": { links: 2, identity: "one" } });
  const search = (entries: number, kept: number) => () => refuseLinkedNames([...rules, denied], tree, { entries, kept });
  assert.doesNotThrow(search(100, 100));
  assert.throws(search(20, 100), { situation: "wall.second-names-unsearched", values: { path: "/p/venv", entries: "20", kept: "100" } });
  assert.throws(search(100, 19), { situation: "wall.second-names-unsearched" });
  const masked = (entries: number) => () => refuseShownNames(["/p/.env"], rules, tree, { entries, kept: 100 });
  assert.doesNotThrow(masked(100));
  assert.throws(masked(2), { situation: "wall.second-names-unsearched" });
});
