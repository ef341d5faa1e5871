// Each limit is reached by a program that wants it all: the recorded limit is the one that was used up, a second sandbox answers meanwhile, and
// nothing is left. With control groups where this machine has them, and without. INVARIANT I-03, I-09
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { access, chmod, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { suite, test } from "node:test";
import { openProcessBoundary } from "../../src/boundaries/process/process.ts";
import { findCgroups } from "../../src/linux/cgroups.ts";
import { supervise, type SupervisionReport } from "../../src/broker/supervise.ts";
import type { PathPolicy, Sandbox, SandboxSpec } from "../../src/contracts/boundary.ts";
import type { LimitName, Limits } from "../../src/contracts/limits.ts";
import { capture } from "../../src/kit/spawn.ts";
import { base, installation, makeWorld, open, options, type World } from "./process-boundary-fixture.ts";
import { leastOf } from "../fixtures/least-of.ts";
import { waitUntil } from "../fixtures/wait-until.ts";

const mib = 2 ** 20;
const small: Limits = {
  cpuMs: 60_000,
  cpuCores: 2,
  memoryBytes: 128 * mib,
  processes: 40,
  diskBytes: 40 * mib,
  openFiles: 64,
  outputBytes: 4 * mib,
  returnedBytes: mib,
  wallMs: 20_000,
  denials: Number.POSITIVE_INFINITY,
};

const program = path.join(base, "exhaust");
const flags = ["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", "-o", program];
const built = await capture("/usr/bin/gcc", [...flags, path.join(installation, "test/fixtures/exhaust.c")], {
  environment: { PATH: "/usr/bin:/bin" },
  timeoutMs: 120_000,
});
assert.equal(built.code, 0, built.stderr);
await chmod(program, 0o755);

interface Row {
  readonly what: string;
  /** Where it happens: the write root, or a private place inside. */
  readonly where?: "$TMPDIR" | "/dev/shm";
  /** The one that is reached. */
  readonly limit: LimitName;
  /** A count that stays within every limit: the control. */
  readonly within: number;
  readonly limits?: Partial<Limits>;
}

const rows: readonly Row[] = [
  { what: "fork", limit: "processes", within: 20 },
  { what: "thread", limit: "processes", within: 20 },
  { what: "memory", limit: "memory", within: 10 },
  { what: "huge", limit: "disk", within: 10 },
  { what: "many", limit: "disk", within: 10 },
  { what: "unlinked", limit: "disk", within: 10, limits: { openFiles: 1024 } },
  { what: "empty", limit: "disk", within: 100, limits: { diskBytes: 4 * mib } },
  { what: "sparse", limit: "disk", within: 0 },
  { what: "length", limit: "disk", within: 0 },
  { what: "path-length", limit: "disk", within: 0 },
  { what: "place", limit: "disk", within: 0 },
  { what: "seek", limit: "disk", within: 0 },
  { what: "path-length", where: "$TMPDIR", limit: "disk", within: 0 },
  { what: "allocate", limit: "disk", within: 2 },
  { what: "huge", where: "$TMPDIR", limit: "disk", within: 10 },
  { what: "empty", where: "$TMPDIR", limit: "disk", within: 100 },
  { what: "huge", where: "/dev/shm", limit: "disk", within: 10 },
  { what: "descriptor", limit: "openFiles", within: 20 },
  { what: "output", limit: "output", within: 0 },
  { what: "spin", limit: "cpuTime", within: 10, limits: { cpuMs: 1000, wallMs: 60_000 } },
  { what: "daemon", limit: "wall", within: 0, limits: { wallMs: 500 } },
];

interface Opened {
  readonly sandbox: Sandbox;
  readonly spec: SandboxSpec;
}

type Cgroups = "found" | "none";

async function openWith(world: World, limits: Partial<Limits>, cgroups: Cgroups, paths: Partial<PathPolicy> = {}): Promise<Opened> {
  const spec = { ...world.spec({ allowRead: [program], ...paths }), limits: { ...small, ...limits } };
  return { sandbox: await open(spec, { cgroups }), spec };
}

async function run({ sandbox, spec }: Opened, script: string): Promise<SupervisionReport & { readonly output: string }> {
  const execution = await sandbox.exec({ argv: ["/bin/sh", "-c", script], cwd: spec.projectDirectory });
  let output = "";
  const report = await supervise({
    execution,
    limits: spec.limits,
    exhausted: sandbox.exhausted,
    look: async () => sandbox.usage(),
    io: {
      signal: new AbortController().signal,
      onStart: () => {},
      onOutput: async ({ bytes }) => {
        if (output.length < 1000) output += Buffer.from(bytes).toString("latin1");
      },
    },
    monotonicNs: () => process.hrtime.bigint(),
    pauses: { totalNs: 0n, isPaused: false },
    observe: () => {},
  });
  return { ...report, output };
}

const scriptOf = ({ what, where }: Row, rest: string): string => `cd "${where ?? "."}" && exec "${program}" ${what} ${rest}`;

async function groupsOf(spec: SandboxSpec): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { directory } of findCgroups(spec.sandboxId)) {
    const isThere = await access(directory).then(
      () => true,
      () => false,
    );
    if (isThere) left.push(directory);
  }
  return left;
}

/** A command of another sandbox, from its start to its end. */
async function answerMs(second: Opened): Promise<number> {
  const started = performance.now();
  const report = await run(second, "echo here");
  assert.equal(report.output, "here\n");
  return performance.now() - started;
}

/** As root the machine's own control groups hold; without them everybody gets what an ordinary user gets. */
const ways = findCgroups("s-none").length > 0 ? (["found", "none"] as const) : (["none"] as const);

for (const cgroups of ways) {
  suite(`limits with control groups ${cgroups}`, () => {
    for (const row of rows) {
      test(`${row.what} ${row.where ?? ""} ends in the limit ${row.limit}, and a second sandbox answers within a second`, async () => {
        const world = await makeWorld();
        const first = await openWith(world, row.limits ?? {}, cgroups);
        const second = await openWith(await makeWorld(), {}, cgroups);
        if (row.within > 0) {
          const control = await run(first, `FEW=1 ${scriptOf(row, String(row.within))}`.replace("FEW=1 cd", "export FEW=1; cd"));
          assert.deepEqual([control.limitHits, control.output.endsWith("done\n")], [[], true], control.output.slice(0, 200));
        }
        const bomb = run(first, scriptOf(row, row.what === "daemon" ? "1000000000000" : ""));
        const answered = await leastOf(() => answerMs(second), 1000);
        const report = await bomb;
        assert.deepEqual(
          report.limitHits.map(({ limit }) => limit),
          [row.limit],
        );
        assert.ok(answered < 1000, `the second sandbox answered after ${answered} ms`);
        await Promise.all([first.sandbox.close(), second.sandbox.close()]);
        assert.deepEqual([...(await groupsOf(first.spec)), ...(await groupsOf(second.spec))], []);
        for (const name of await readdir(world.project)) if (name !== "docs") await rm(path.join(world.project, name));
      });
    }
  });
}

test("a file that is written over counts once, although others fill the disk meanwhile", async () => {
  const world = await makeWorld();
  const others = path.join(base, "of-others");
  const opened = await openWith(world, {}, "none");
  const over = "for i in 1 2 3 4 5 6; do dd if=/dev/urandom of=kept bs=1M count=10 conv=fdatasync 2>/dev/null; done";
  // Long enough for many looks after the disk has filled.
  const command = run(opened, `${over}; echo > ready; until [ -e go ]; do sleep 0.02; done; sleep 1; echo here`);
  await waitUntil("the file", () =>
    access(path.join(world.project, "ready")).then(
      () => true,
      () => false,
    ),
  );
  await writeFile(others, randomBytes(48 * mib), { flush: true });
  await writeFile(path.join(world.project, "go"), "");
  const { limitHits, output } = await command;
  await Promise.all([opened.sandbox.close(), rm(others)]);
  assert.deepEqual([limitHits, output], [[], "here\n"]);
});

test("processes is exact, and threads count", async () => {
  const opened = await openWith(await makeWorld(), { processes: 30 }, "none");
  const most = await run(opened, `export FEW=1; exec "${program}" fork 29`);
  assert.deepEqual([most.limitHits, most.output], [[], "done\n"]);
  const report = await run(await openWith(await makeWorld(), { processes: 30 }, "none"), `exec "${program}" thread`);
  assert.deepEqual(report.limitHits, [{ limit: "processes", allowed: 30, observed: 31 }]);
});

test("processes is as exact where nothing may be written", async () => {
  const opened = await openWith(await makeWorld(), { processes: 3 }, "none", { allowWrite: [] });
  const report = await run(opened, "sleep 0.1 & sleep 0.1 & wait; echo done");
  assert.deepEqual([report.limitHits, report.output], [[], "done\n"]);
});

test("a memory bomb of many processes stays within what the sheet says of the overshoot", async () => {
  const opened = await openWith(await makeWorld(), { memoryBytes: 256 * mib }, "none");
  const report = await run(opened, `for i in 1 2 3 4; do "${program}" memory & done; wait`);
  const [hit] = report.limitHits;
  assert.equal(hit?.limit, "memory");
  assert.ok(hit.observed < (256 + 300) * mib, `noticed at ${hit.observed}`);
});

test("where memory runs out the kernel ends what is in a sandbox first", async () => {
  const opened = await openWith(await makeWorld(), {}, "none");
  assert.equal((await run(opened, "cat /proc/self/oom_score_adj /proc/1/oom_score_adj")).output, "1000\n1000\n");
});

test("what the sandbox is limited to cannot be raised inside, and space cannot be taken without writing", async () => {
  const opened = await openWith(await makeWorld(), {}, ways[0]);
  const script = [
    "ulimit -Hu 100000",
    "ulimit -Hn 100000",
    "echo 4194304 > /proc/sys/kernel/pid_max",
    "echo 1 > /proc/sys/kernel/ns_last_pid",
    "taskset -p 1 $$",
    "fallocate -l 1M f",
  ].map((line) => `(${line}) >/dev/null 2>&1 && echo "worked: ${line}"`);
  const report = await run(opened, `${script.join("; ")}; echo end`);
  assert.equal(report.output, "end\n");
});

test("cpuCores binds to as many processors", async () => {
  const opened = await openWith(await makeWorld(), { cpuCores: 1 }, "none");
  assert.equal((await run(opened, "nproc")).output, "1\n");
});

test("without a control group a share of a processor is refused", async () => {
  await assert.rejects(openWith(await makeWorld(), { cpuCores: 0.5 }, "none"), {
    code: "WALL_UNAVAILABLE",
    situation: "wall.share-unheld",
  });
});

if (ways[0] === "found") {
  test("a control group holds a share of a processor", async () => {
    const opened = await openWith(await makeWorld(), { cpuCores: 0.5, wallMs: 2000 }, "found");
    const report = await run(opened, `exec "${program}" spin`);
    assert.equal(report.limitHits[0]?.limit, "wall");
    assert.ok((report.usage?.cpuMs ?? Number.POSITIVE_INFINITY) < 1500, `used ${report.usage?.cpuMs} ms in ${report.durationMs} ms`);
  });
}

test("the control group is named in the journal before it is made, and gone when open fails", async () => {
  const named: string[] = [];
  const world = await makeWorld();
  const spec = { ...world.spec(), limits: small };
  const boundary = openProcessBoundary({ ...options, bubblewrap: "/usr/bin/false" });
  const journal = async ({ kind, name }: { readonly kind: string; readonly name: string }): Promise<void> => {
    if (kind !== "cgroup") return;
    named.push(name);
    await assert.rejects(access(name));
  };
  await assert.rejects(boundary.open(spec, { signal: new AbortController().signal, journal }));
  assert.deepEqual(
    named,
    findCgroups(spec.sandboxId).map(({ directory }) => directory),
  );
  assert.deepEqual(await groupsOf(spec), []);
});
