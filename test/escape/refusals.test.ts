// Rules that this boundary cannot hold are refused at open, never bent: with the exact code, before anything of the sandbox exists.
import assert from "node:assert/strict";
import { link, mkdir, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import type { PathPolicy } from "../../src/contracts/boundary.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { assertNothingLeft } from "../fixtures/residue.ts";
import { observe } from "../fixtures/observe/observe.ts";
import { type Ground, makeGround } from "./harness/ground.ts";
import { boundaryWith, quietContext, specFor } from "./harness/inside.ts";

interface Refusal {
  readonly name: string;
  readonly arrange?: (ground: Ground) => Promise<unknown>;
  readonly change: (ground: Ground) => Partial<PathPolicy>;
  /** Says the object that the refusal must name. */
  readonly names: (ground: Ground) => string;
  readonly project?: (ground: Ground) => string;
}

const inOut = (ground: Ground, name: string): string => path.join(ground.out, name);

const refusals: readonly Refusal[] = [
  {
    name: "a denied file that has a second hard link (family 6)",
    arrange: (ground) => link(path.join(ground.project, "secret.txt"), inOut(ground, "second-name")),
    change: () => ({}),
    names: (ground) => path.join(ground.project, "secret.txt"),
  },
  {
    name: "a write root that does not exist",
    change: (ground) => ({ allowWrite: [path.join(ground.project, "absent")] }),
    names: (ground) => path.join(ground.project, "absent"),
  },
  {
    name: "a write root that is a file",
    change: (ground) => ({ allowWrite: [path.join(ground.project, "readme.txt")] }),
    names: (ground) => path.join(ground.project, "readme.txt"),
  },
  {
    name: "a project inside a directory that its own rules hide",
    change: (ground) => ({ denyRead: [ground.home] }),
    names: (ground) => ground.project,
  },
  { name: "the home directory as project", change: () => ({}), names: (ground) => ground.home, project: (ground) => ground.home },
];

async function refusalOf(ground: Ground, refusal: Refusal): Promise<GloveboxError> {
  const paths = { ...ground.paths, ...refusal.change(ground) };
  const project = refusal.project?.(ground) ?? ground.project;
  const spec = specFor({ home: ground.home, project, privateDirectory: ground.private, paths });
  const scope = { markers: [spec.sandboxId, ground.root], directories: [ground.root], ancestors: [process.pid] };
  const before = observe(scope);
  try {
    const sandbox = await boundaryWith("both").open(spec, quietContext(AbortSignal.timeout(120_000)));
    await sandbox.close();
  } catch (error) {
    if (!(error instanceof GloveboxError)) throw error;
    assertNothingLeft(before, observe(scope));
    return error;
  }
  throw new Error("the sandbox opened");
}

for (const refusal of refusals) {
  test(`open() refuses ${refusal.name}`, async () => {
    await using resources = new AsyncDisposableStack();
    const ground = await makeGround(resources);
    await refusal.arrange?.(ground);
    const error = await refusalOf(ground, refusal);
    assert.equal(error.code, "PATH_RULE_UNENFORCEABLE");
    assert.ok(Object.values(error.values).includes(refusal.names(ground)), JSON.stringify(error.values));
  });
}

test("open() accepts the same ground without those faults: the control of this file", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const spec = specFor({ ...ground, privateDirectory: ground.private });
  const sandbox = await boundaryWith("both").open(spec, quietContext(AbortSignal.timeout(120_000)));
  await sandbox.close();
});

test("nothing is mounted over a missing path: denied names that do not exist leave no ghost on the host", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  await mkdir(path.join(ground.project, "linked"));
  await symlink("linked", path.join(ground.project, "link"));
  const absent = [
    path.join(ground.project, "absent.txt"),
    path.join(ground.project, "no/such/directory"),
    path.join(ground.project, "link/absent"),
    inOut(ground, "absent.txt"),
    inOut(ground, "no/such/directory"),
  ];
  const spec = specFor({
    ...ground,
    privateDirectory: ground.private,
    paths: { ...ground.paths, denyRead: [...ground.paths.denyRead, ...absent], denyWrite: [...ground.paths.denyWrite, ...absent] },
  });
  const scope = { markers: [spec.sandboxId], directories: [ground.root], ancestors: [process.pid] };
  const before = observe(scope);
  const sandbox = await boundaryWith("both").open(spec, quietContext(AbortSignal.timeout(120_000)));
  await sandbox.close();
  // The list of changes is the broker's to read and to delete.
  for (const name of ["touches.json", "touches.log"]) await rm(path.join(ground.private, name));
  assertNothingLeft(before, observe(scope));
});
