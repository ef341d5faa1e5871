// Second names of what a pattern matched, against a file tree made of text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { refuseShownNames } from "./linked-names.ts";
import type { Rule } from "./rules.ts";
import { textTree } from "./text-tree.ts";

const files = { "/usr/bin/sh": "", "/home/ann/notes": "", "/p/.env": "", "/p/sub/.env": "", "/p/x": "", "/p/venv/.env/inner": "" };
const rules: readonly Rule[] = [
  { path: "/usr", effect: "show", origin: "built-in" },
  { path: "/p", effect: "write", origin: "policy" },
  { path: "/home/ann", effect: "hide", origin: "built-in" },
];

/** @param names of one file, which has `links` names in all */
function outcome(names: readonly string[], masked: readonly string[], links = names.length): string {
  const tree = textTree(files, Object.fromEntries(names.map((name) => [name, { links, identity: "one" }])));
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

test("refuseShownNames() refuses where it cannot look", () => {
  const tree = textTree(files, { "/p/.env": { links: 2, identity: "one" }, "/p/sub": { mode: 0 } });
  assert.throws(() => refuseShownNames(["/p/.env"], rules, tree), { situation: "wall.names-unknown" });
});
