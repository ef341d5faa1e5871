// Another sandbox of the same project may swap a directory for a link between the moment a sandbox is planned and the moment it is mounted. What
// is mounted must be what was planned, or the open must refuse. The boundary asks the signal exactly in between. INVARIANT I-15
import assert from "node:assert/strict";
import { renameSync, symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { OpenContext, PathPolicy } from "../../src/contracts/boundary.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { type Ground, makeGround } from "./harness/ground.ts";
import { boundaryWith, specFor } from "./harness/inside.ts";
import { contextWith } from "./harness/moments.ts";
import { hostContent, hostHas } from "./harness/stages.ts";

interface Swap {
  readonly name: string;
  /** Below the write root; becomes a link to the place outside. */
  readonly swapped: string;
  readonly paths: (ground: Ground) => PathPolicy;
}

const swaps: readonly Swap[] = [
  { name: "a protected directory", swapped: "locked", paths: (ground) => ground.paths },
  {
    name: "a write root within a write root",
    swapped: "nest",
    paths: (ground) => ({ ...ground.paths, denyRead: [], allowWrite: [ground.out, path.join(ground.out, "nest")] }),
  },
  {
    name: "a readable directory within a denied one",
    swapped: "nest",
    paths: (ground) => ({
      ...ground.paths,
      allowWrite: [],
      denyWrite: [],
      denyRead: [ground.out],
      allowRead: [path.join(ground.out, "nest")],
    }),
  },
];

async function lookInside(ground: Ground, swap: Swap): Promise<string> {
  const place = path.join(ground.out, swap.swapped);
  const spec = specFor({ ...ground, privateDirectory: ground.private, paths: swap.paths(ground) });
  let isSwapped = false;
  const { signal, journal } = contextWith({
    planned: () => {
      isSwapped = true;
      renameSync(place, `${place}.away`);
      symlinkSync(ground.outside, place);
    },
  });
  await using sandbox = await openDisposable(spec, { signal, journal });
  assert.ok(isSwapped, "the swap never happened");
  const script = `cat "$1/victim.txt" "$2/victim.txt"; echo planted > "$1/planted"; echo planted > "$2/planted"`;
  const execution = await sandbox.exec({ argv: ["/bin/sh", "-c", script, "sh", place, ground.outside], cwd: ground.project });
  execution.endStdin();
  let output = "";
  for await (const { bytes } of execution.output) output += Buffer.from(bytes).toString("latin1");
  return output;
}

async function openDisposable(spec: ReturnType<typeof specFor>, context: OpenContext) {
  const sandbox = await boundaryWith("both").open(spec, context);
  return { exec: sandbox.exec.bind(sandbox), [Symbol.asyncDispose]: () => sandbox.close() };
}

for (const swap of swaps) {
  test(`${swap.name} that is swapped for a link while the sandbox opens does not show its target`, async () => {
    await using resources = new AsyncDisposableStack();
    const ground = await makeGround(resources);
    const output = await lookInside(ground, swap).catch((error: unknown) => {
      if (error instanceof GloveboxError && error.row.exit === 122) return "refused";
      throw error;
    });
    const victim = path.join(ground.outside, "victim.txt");
    assert.ok(!output.includes(ground.canaryOf(victim)), "the target of the link was readable");
    assert.equal(await hostHas(path.join(ground.outside, "planted")), false, "the target of the link was writable");
    assert.equal(await hostContent(victim), `${ground.canaryOf(victim)}\n`);
  });
}
