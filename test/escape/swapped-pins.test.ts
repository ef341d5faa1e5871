// The directories above a denied place are mounted on themselves. Another sandbox of the same project may swap one of them for a link while
// that happens, and swap it back before anybody looks: what is mounted must still be what was planned, or the open must refuse. INVARIANT I-15
import assert from "node:assert/strict";
import fs, { renameSync, symlinkSync, unlinkSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { test } from "node:test";
import type { OpenContext, SandboxSpec } from "../../src/contracts/boundary.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { type Ground, makeCanary, makeGround } from "./harness/ground.ts";
import { boundaryWith, specFor } from "./harness/inside.ts";
import { contextWith } from "./harness/moments.ts";
import { hostContent, hostHas } from "./harness/stages.ts";

/** When the directory is swapped: before anybody looks, or once all is planned. */
const done = ["journalled", "planned"] as const;
/** When it is put back: never, while the mounts are made, or once the guard has answered. */
const undone = ["never", "told", "mounted"] as const;
/** bubblewrap sees the host below /oldroot while it mounts. */
const views = ["", "/oldroot"] as const;

interface Swap {
  readonly apply: () => void;
  readonly undo: () => void;
}

function makeSwap(place: string, target: string): Swap {
  return {
    apply: () => {
      renameSync(place, `${place}.away`);
      symlinkSync(target, place);
    },
    undo: () => {
      unlinkSync(place);
      renameSync(`${place}.away`, place);
    },
  };
}

/** Opens, and says what a command sees of the pinned directory. @param opened called before there is a command */
async function lookInside(spec: SandboxSpec, context: OpenContext, opened = (): void => {}): Promise<string> {
  const sandbox = await boundaryWith("both").open(spec, context);
  try {
    opened();
    const deep = path.join(spec.projectDirectory, "out/nest/deep");
    const script = `cat "$1/victim.txt" "$1/vault/inner.txt"; echo planted > "$1/planted"; echo planted > "$1/vault/planted"`;
    const execution = await sandbox.exec({ argv: ["/bin/sh", "-c", script, "sh", deep], cwd: spec.projectDirectory });
    execution.endStdin();
    let output = "";
    for await (const { bytes } of execution.output) output += Buffer.from(bytes).toString("latin1");
    return output;
  } finally {
    await sandbox.close();
  }
}

interface Furnished {
  readonly ground: Ground;
  readonly spec: SandboxSpec;
  /** The pinned directory, and the place outside that a link leads to. */
  readonly place: string;
  readonly lair: string;
  readonly canary: string;
}

/** The same names twice: below the pins, and where nothing may be reached. */
async function furnish(resources: AsyncDisposableStack): Promise<Furnished> {
  const ground = await makeGround(resources);
  const [place, lair, canary] = [path.join(ground.out, "nest"), ground.outside, makeCanary()];
  for (const directory of [place, lair]) {
    await mkdir(path.join(directory, "deep/vault"), { recursive: true });
    await chmod(path.join(directory, "deep"), 0o777);
    await chmod(path.join(directory, "deep/vault"), 0o777);
  }
  for (const name of ["victim.txt", "vault/inner.txt"]) await writeFile(path.join(lair, "deep", name), canary);
  await writeFile(path.join(place, "deep/vault/inner.txt"), canary);
  const paths = { ...ground.paths, denyRead: [path.join(place, "deep/vault")], denyWrite: [] };
  return { ground, place, lair, canary, spec: specFor({ ...ground, privateDirectory: ground.private, paths }) };
}

async function assertNothingReached({ lair, canary }: Furnished, looking: Promise<string>): Promise<void> {
  const output = await looking.catch((error: unknown) => {
    if (error instanceof GloveboxError && error.row.exit === 122) return "refused";
    throw error;
  });
  assert.ok(!output.includes(canary), "the target of the link, or what was denied, was readable");
  for (const name of ["planted", "vault/planted"])
    assert.equal(await hostHas(path.join(lair, "deep", name)), false, `${name} was writable`);
  assert.equal(await hostContent(path.join(lair, "deep/victim.txt")), canary);
}

for (const swapped of done) {
  for (const when of undone) {
    for (const view of views) {
      test(`a pinned directory swapped (${swapped}) for a link to ${view}/... and put back (${when}) shows nothing of its target`, async () => {
        await using resources = new AsyncDisposableStack();
        const furnished = await furnish(resources);
        const swap = makeSwap(furnished.place, `${view}${furnished.lair}`);
        let isApplied = false;
        const apply = (): void => {
          isApplied = true;
          swap.apply();
        };
        const moments = { [swapped]: apply, ...(when === "never" ? {} : { [when]: swap.undo }) };
        await assertNothingReached(furnished, lookInside(furnished.spec, contextWith(moments)));
        assert.ok(isApplied, "the swap never happened");
      });
    }
  }
}

test("a link that led a denied path elsewhere when all was planned and checked shows nothing of the path when it is gone", async () => {
  await using resources = new AsyncDisposableStack();
  const furnished = await furnish(resources);
  const swap = makeSwap(furnished.place, furnished.lair);
  let isOpen = false;
  const opened = (): void => {
    isOpen = true;
    swap.undo();
  };
  await assertNothingReached(furnished, lookInside(furnished.spec, contextWith({ journalled: swap.apply }), opened));
  assert.ok(isOpen, "nothing was opened");
});

for (const ending of ["/nest", "/deep"]) {
  test(`a link that stands in the way of each look at ...${ending} and never else shows nothing of its target`, async (t) => {
    await using resources = new AsyncDisposableStack();
    const furnished = await furnish(resources);
    const swap = makeSwap(furnished.place, furnished.lair);
    let count = 0;
    const during = <Given extends readonly unknown[], Answer>(call: (...given: Given) => Answer) => {
      return (...given: Given): Answer => {
        if (!isArmed || !String(given[0]).endsWith(ending)) return call(...given);
        count += 1;
        swap.apply();
        try {
          return call(...given);
        } finally {
          swap.undo();
        }
      };
    };
    let isArmed = false;
    const [look, open] = [t.mock.method(fs, "lstatSync", during(fs.lstatSync)), t.mock.method(fs, "openSync", during(fs.openSync))];
    syncBuiltinESMExports();
    try {
      const journal = async (): Promise<void> => {
        isArmed = true;
      };
      await assertNothingReached(furnished, lookInside(furnished.spec, { signal: AbortSignal.timeout(120_000), journal }));
      assert.ok(count > 0, "nothing was looked at");
    } finally {
      for (const mocked of [look, open]) mocked.mock.restore();
      syncBuiltinESMExports();
    }
  });
}
