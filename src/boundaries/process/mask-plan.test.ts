// Where the masker looks: only what the sandbox shows and a rule may match.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { PathGlob, PathPolicy, SandboxSpec } from "../../contracts/boundary.ts";
import { sandboxIdSchema, taskIdSchema } from "../../contracts/ids.ts";
import { globSegments } from "../../kit/path-glob.ts";
import { type MaskPlan, maskPlanOf } from "./mask-plan.ts";
import { compileRules } from "./rules.ts";
import { untoldTypes } from "./file-tree.ts";
import { textTree } from "./text-tree.ts";
import { viewOf } from "./view.ts";

const files = {
  "/usr/bin/sh": "",
  "/home/ann/.nvm/v26/bin/node": "",
  "/home/ann/work/a": "",
  "/home/ann/notes/b": "",
  "/home/ann/work/nest": "-> /home/ann/notes",
  "/srv/work/a": "",
};

function planOf(paths: Partial<PathPolicy>, projectDirectory = "/home/ann/work", untold?: string): MaskPlan | undefined {
  const tree = textTree(files, {}, untold);
  const spec: SandboxSpec = {
    taskId: taskIdSchema.parse("t-000000000000-000000000001"),
    sandboxId: sandboxIdSchema.parse("s-000000000000-0000000000ff"),
    projectDirectory,
    privateDirectory: "/home/ann/private",
    paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [projectDirectory], denyWrite: [], ...paths },
    environment: {},
    limits: {
      cpuMs: 1,
      cpuCores: 1,
      memoryBytes: 1,
      processes: 1,
      diskBytes: 1,
      wallMs: 1,
      outputBytes: 1,
      returnedBytes: 1,
      openFiles: 1,
      denials: 1,
    },
    user: { uid: 1000, gid: 1000, name: "ann", home: "/home/ann" },
  };
  return maskPlanOf(spec, tree, viewOf(spec, tree, compileRules(spec, tree, [])));
}

const placesOf = (paths: Partial<PathPolicy>, project?: string): readonly string[] => planOf(paths, project)?.places ?? [];

const glob: PathGlob = { text: "~/**/.env", segments: globSegments("/home/ann/**/.env") };
const builtIn: PathGlob = { ...glob, sparesToolchains: true };

test("maskPlanOf() looks for a pattern in each shown place where it may match, and starts no masker where it nowhere may", () => {
  assert.deepEqual(placesOf({ denyReadGlobs: [glob], allowRead: ["/home/ann/notes"] }), [
    "/home/ann/.nvm",
    "/home/ann/notes",
    "/home/ann/work",
  ]);
  assert.deepEqual(placesOf({ denyReadGlobs: [builtIn] }, "/srv/work"), []);
});

test("maskPlanOf() looks for the built-in pattern in no toolchain that only the default view shows", () => {
  assert.deepEqual(placesOf({ denyReadGlobs: [builtIn] }), ["/home/ann/work"]);
  const named = placesOf({ denyReadGlobs: [builtIn], allowRead: ["/home/ann/.nvm/v26"] });
  assert.ok(named.includes("/home/ann/.nvm"));
});

test("maskPlanOf() asks for every open to be judged where a shown place tells of no change, whatever the home lies on", () => {
  const ask = (untold: string) => planOf({ denyReadGlobs: [builtIn] }, "/home/ann/work", untold);
  assert.deepEqual([ask("/home/ann/work")?.untold, ask("/home/ann/work")?.isStrict], ["/home/ann/work", true]);
  assert.deepEqual([ask("/home/ann/.nvm")?.untold, ask("/home/ann/.nvm")?.isStrict], [undefined, false]);
  assert.equal(planOf({ denyReadGlobs: [builtIn] }, "/srv/work", "/home/ann"), undefined);
});

test("the file systems that tell of no change are the masker's", () => {
  const source = readFileSync(new URL("../../../native/masker/file-system.c", import.meta.url), "utf8");
  const list = /untold\[\] = \{([^}]*)\}/u.exec(source)?.[1] ?? "";
  assert.deepEqual(
    [...untoldTypes],
    [...list.matchAll(/0x[0-9a-f]+/gu)].map(([number]) => BigInt(number)),
  );
  assert.ok(untoldTypes.size >= 15);
});

test("maskPlanOf() looks for a denied name behind a link, because the link may be gone when a command looks", () => {
  const plan = planOf({ denyRead: ["/home/ann/work/nest/b"] });
  assert.deepEqual(
    plan?.rules.map(({ text }) => text),
    ["/home/ann/work/nest/b"],
  );
});
