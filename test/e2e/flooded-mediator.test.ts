// A hostile program that wants all a mediator has: it gets errnos, and records where calls had to wait; meanwhile others answer within a
// second; and a name that may not be planted cannot be planted, then or afterwards. INVARIANT I-02, I-04
import assert from "node:assert/strict";
import { chmod, mkdir, stat } from "node:fs/promises";
import { readFileSync } from "node:fs";
import path from "node:path";
import { suite, test } from "node:test";
import type { Execution, Sandbox } from "../../src/contracts/boundary.ts";
import { capture } from "../../src/kit/spawn.ts";
import { descendants, eventually } from "./guard-fixture.ts";
import { base, installation, makeWorld, open, runIn, type World } from "./process-boundary-fixture.ts";
import { leastOf } from "../fixtures/least-of.ts";

const program = path.join(base, "flood");
const flags = ["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", "-o", program];
const built = await capture("/usr/bin/gcc", [...flags, path.join(installation, "test/fixtures/flood-mediator.c")], {
  environment: { PATH: "/usr/bin:/bin" },
  timeoutMs: 120_000,
});
assert.equal(built.code, 0, built.stderr);
await chmod(program, 0o755);

interface Flood {
  readonly what: string;
  /** What a call that is one too many ends in; undefined: each is answered. */
  readonly error?: string;
  /** What the host is told of it. */
  readonly refusal?: string;
  readonly strict?: true;
}

const floods: readonly Flood[] = [
  { what: "calls" },
  { what: "descriptors", error: "open: EMFILE" },
  { what: "pipes", error: "open: ENFILE", refusal: "open ENFILE crowded" },
  { what: "reads", error: "open: ENFILE", refusal: "open ENFILE crowded", strict: true },
  { what: "connects", error: "connect: EAGAIN", refusal: "connect EAGAIN crowded" },
];

const planting = "mkdir .vscode; echo x > .envrc; mkdir -p .git/hooks && echo x > .git/hooks/pre-commit";

/** Runs it, and fails when it worked or when the mediator said nothing. */
async function provePlantingFails(sandbox: Sandbox, world: World): Promise<void> {
  const { output } = await runIn(sandbox, ["sh", "-c", `exec 2>&1; ${planting}; echo tried`], world.project);
  assert.equal(output.match(/Permission denied/gu)?.length, 3, output);
  for (const name of [".vscode", ".envrc", ".git/hooks/pre-commit"])
    await assert.rejects(stat(path.join(world.project, name)), { code: "ENOENT" });
}

/** The longest of a few commands, in milliseconds: the machine may be slow for reasons of its own, which a look beforehand tells. */
async function slowest(sandbox: Sandbox, world: World): Promise<number> {
  let longest = 0;
  for (let turn = 0; turn < 3; turn++) {
    const from = performance.now();
    const { output } = await runIn(sandbox, ["sh", "-c", `echo ${turn} > answer && cat answer`], world.project);
    assert.equal(output, `${turn}\n`);
    longest = Math.max(longest, performance.now() - from);
  }
  return longest;
}

async function readUntil(execution: Execution, found: (output: string) => boolean): Promise<string> {
  let output = "";
  for await (const { bytes } of execution.output) {
    output += Buffer.from(bytes).toString("latin1");
    if (found(output)) return output;
  }
  throw new Error(`the flood ended: ${output}`);
}

const specOf = (world: World, processes: number, strict: boolean) => {
  const spec = world.spec({ allowRead: [program], strict });
  return { ...spec, limits: { ...spec.limits, processes, openFiles: 128 } };
};

suite("a flooded mediator", { timeout: 120_000 }, () => {
  for (const { what, error, refusal, strict = false } of floods) {
    test(`a flood of ${what} is answered or refused, others answer within a second, and nothing is planted`, async () => {
      const [world, neighbour] = [await makeWorld(), await makeWorld()];
      const sandbox = await open(specOf(world, 200, strict));
      const other = await open(neighbour.spec());
      const unflooded = await slowest(other, neighbour);
      const flood = await sandbox.exec({ argv: [program, what], cwd: world.project });
      try {
        const output = await readUntil(flood, (text) => text.includes(" threads\n") && (error === undefined || text.includes(error)));
        if (what !== "descriptors") assert.ok(Number(/(\d+) threads/u.exec(output)?.[1]) > 100, output);
        const answered = await leastOf(() => slowest(other, neighbour), 1000);
        assert.ok(answered < 1000 + 2 * unflooded, `the other sandbox answered after ${answered} ms, unflooded ${unflooded} ms`);
      } finally {
        await flood.killTree();
      }
      const kinds = new Set(flood.refusedCalls.first.map((call) => `${call.call} ${call.errno} ${call.rule}`));
      assert.deepEqual([...kinds], refusal === undefined ? [] : [refusal]);
      await provePlantingFails(sandbox, world);
    });
  }

  test("beside a flood of pending calls another command of the same sandbox answers within a second", async () => {
    const world = await makeWorld();
    const sandbox = await open(specOf(world, 400, false));
    const unflooded = await slowest(sandbox, world);
    const flood = await sandbox.exec({ argv: [program, "connects"], cwd: world.project });
    await readUntil(flood, (text) => text.includes("300 threads\n"));
    try {
      const answered = await leastOf(() => slowest(sandbox, world), 1000);
      assert.ok(answered < 1000 + 2 * unflooded, `the other command answered after ${answered} ms, unflooded ${unflooded} ms`);
      await provePlantingFails(sandbox, world);
    } finally {
      await flood.killTree();
    }
  });

  test("a keeper without a free descriptor refuses, and works again when it has some", async () => {
    const world = await makeWorld();
    await mkdir(path.join(world.project, ".git/hooks"), { recursive: true });
    const sandbox = await open(world.spec());
    const script = `exec 2>&1; echo up; read go; ${planting}; echo x > plain; echo done; read go; echo y > plain && cat plain`;
    const execution = await sandbox.exec({ argv: ["sh", "-c", script], cwd: world.project });
    const chunks = execution.output[Symbol.asyncIterator]();
    let output = "";
    const until = async (text: string): Promise<void> => {
      while (!output.includes(text)) {
        const next = await chunks.next();
        if (next.done === true) throw new Error(`ended before "${text}": ${output}`);
        output += Buffer.from(next.value.bytes).toString("latin1");
      }
    };
    await until("up\n");
    const keeper = await keeperOf();
    await setDescriptorLimit(keeper, 2);
    await execution.writeStdin(Buffer.from("go\n"));
    await until("done\n");
    assert.equal(output.match(/Permission denied|Too many open files/gu)?.length, 4, output);
    await setDescriptorLimit(keeper, 512);
    await execution.writeStdin(Buffer.from("go\n"));
    await until("y\n");
    assert.deepEqual((await execution.exit).kind, "exited");
    await provePlantingFails(sandbox, world);
  });
});

/** Of the only command that runs: others wait for the next command of their sandbox, and have no child. */
function keeperOf(): Promise<number> {
  return eventually("a keeper", () => {
    const processes = descendants(process.pid);
    const isGuard = (number: number): boolean => processes.some(({ pid, name }) => pid === number && name === "guard");
    const hasChild = (number: number): boolean => processes.some(({ parent }) => parent === number);
    return processes.find(({ pid, parent }) => isGuard(pid) && isGuard(parent) && hasChild(pid))?.pid;
  });
}

/** As the keeper's own user: root may not raise what belongs to somebody else everywhere. */
async function setDescriptorLimit(pid: number, value: number): Promise<void> {
  const uid = /^Uid:\t(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  const gid = /^Gid:\t(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  const words = ["/usr/bin/prlimit", "--pid", String(pid), `--nofile=${value}:`];
  const as = process.getuid?.() === 0 ? ["/usr/bin/setpriv", "--reuid", uid, "--regid", gid, "--clear-groups", ...words] : words;
  const [file = "", ...args] = as;
  const { code, stderr } = await capture(file, args, { environment: {}, timeoutMs: 10_000 });
  assert.equal(code, 0, stderr);
}
