// Package caches of a project in the plan of a sandbox: mounted into the private home, and no part of what the host's own places are. INVARIANT I-16
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { sandboxIdSchema, taskIdSchema } from "../../contracts/ids.ts";
import { smallLimits } from "../../contracts/testing/limits.ts";
import { planBeginning } from "./beginning.ts";
import { planSandbox } from "./plan.ts";
import { textTree } from "./text-tree.ts";

const source = "/home/ann/.local/state/glovebox/cache/c/places/.cargo/registry";
const inside = "/run/sandbox/home/.cargo/registry";
const host = { "/etc/passwd": "", "/dev/shm/x": "", "/home/ann/app/x": "", "/home/ann/.cargo/bin/cargo": "", [`${source}/index`]: "" };

const specOf = (changes: Partial<SandboxSpec> = {}, uid = 1000): SandboxSpec => ({
  taskId: taskIdSchema.parse("t-000000000000-000000000001"),
  sandboxId: sandboxIdSchema.parse("s-000000000000-0000000000ff"),
  projectDirectory: "/home/ann/app",
  privateDirectory: "/private",
  paths: { readDefault: "system", allowRead: ["/home/ann/.cargo"], denyRead: [], allowWrite: ["/home/ann/app"], denyWrite: [] },
  environment: {},
  caches: { id: "c", names: ["cargo"], places: [{ source, inside: ".cargo/registry" }] },
  limits: smallLimits,
  user: { uid, gid: 1000, name: "ann", home: "/home/ann" },
  ...changes,
});

function planOf(spec: SandboxSpec, files: Readonly<Record<string, string>> = host) {
  const machine = { cgroups: [], processors: 4 };
  const facts = { tree: textTree(files, {}), protectedPaths: [], guardPath: "/opt/guard", captivePath: "/opt/captive", machine };
  return planSandbox(spec, facts, planBeginning(spec, facts));
}

const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof GloveboxError);
    return `${error.code} ${error.situation}`;
  }
  return "planned";
};

test("planSandbox() mounts a shared cache into the private home, for root as an idmapped clone", () => {
  const mountsOf = (uid: number) => planOf(specOf({}, uid)).layout.filter((operation) => operation.at(-1) === `view${inside}`);
  assert.deepEqual(
    [1000, 0].map((uid) => mountsOf(uid).map(([name, from]) => [name, from])),
    [[["bind", source]], [["idmap", source]]],
  );
});

test("planSandbox() counts a shared cache among no place of the host, and leads no link of the home past it", () => {
  const { layout, mediation, view, sheet } = planOf(specOf());
  const linked = layout.filter(([name, target]) => name === "link" && target?.includes(".cargo"));
  assert.deepEqual(linked, []);
  const places = [...mediation.writeRoots, ...view.places.map(({ path }) => path), ...sheet.writes];
  assert.ok(!places.some((path) => path.includes("glovebox/cache")), places.join("\n"));
});

test("planSandbox() refuses a file of the private home in a shared cache, and a cache that is gone", () => {
  const covered = specOf({ homeFiles: { ".cargo/registry/x": "" } });
  assert.equal(
    refusal(() => planOf(covered)),
    "PATH_RULE_UNENFORCEABLE wall.cache-covered",
  );
  const { [`${source}/index`]: _gone, ...rest } = host;
  assert.equal(
    refusal(() => planOf(specOf(), rest)),
    "SANDBOX_OPEN_FAILED wall.changed-while-opening",
  );
});
