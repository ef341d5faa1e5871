// Unit tests of what control groups count, on files that stand for a group's.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { CgroupCounts } from "./cgroup-counts.ts";
import type { Cgroup } from "./cgroups.ts";

type Files = Readonly<Record<string, string>>;

async function withGroup(version: Cgroup["version"], body: (counts: CgroupCounts, fill: (files: Files) => Promise<void>) => Promise<void>) {
  const directory = await mkdtemp(path.join(tmpdir(), "glovebox-group-"));
  const counts = new CgroupCounts([{ version, controllers: ["memory", "cpuacct", "pids"], directory, joinFile: `${directory}/join` }]);
  const fill = async (files: Files): Promise<void> => {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(directory, name), text);
  };
  try {
    await body(counts, fill);
  } finally {
    counts.close();
    await rm(directory, { recursive: true });
  }
}

const openFiles = async (): Promise<number> => (await readdir("/proc/self/fd")).length;

test("CgroupCounts reads the counters of both versions, and anew each time", async () => {
  await withGroup(1, async (counts, fill) => {
    await fill({ "cpuacct.usage": "3000000\n", "memory.max_usage_in_bytes": "4096\n", "memory.oom_control": "under_oom 0\noom_kill 2\n" });
    await fill({ "pids.events": "max 1\n" });
    assert.deepEqual([counts.cpuMs(), counts.memory(), counts.refusedTasks()], [3, { peakBytes: 4096, kills: 2 }, 1]);
    await fill({ "cpuacct.usage": "12000000\n", "memory.max_usage_in_bytes": "8192\n" });
    assert.deepEqual([counts.cpuMs(), counts.memory()?.peakBytes], [12, 8192]);
  });
  await withGroup(2, async (counts, fill) => {
    await fill({ "cpu.stat": "usage_usec 5000\nuser_usec 1\n", "memory.peak": "4096\n", "memory.events": "max 7\noom_kill 1\n" });
    assert.deepEqual([counts.cpuMs(), counts.memory()], [5, { peakBytes: 4096, kills: 1 }]);
  });
});

test("CgroupCounts counts nothing where a file is missing, and sees it when it comes", async () => {
  await withGroup(2, async (counts, fill) => {
    assert.deepEqual([counts.cpuMs(), counts.memory(), counts.refusedTasks()], [0, { peakBytes: 0, kills: 0 }, 0]);
    await fill({ "memory.peak": "4096\n" });
    assert.equal(counts.memory()?.peakBytes, 4096);
  });
});

test("CgroupCounts says where no group counts", () => {
  const counts = new CgroupCounts([]);
  assert.deepEqual([counts.cpuMs(), counts.memory(), counts.refusedTasks()], [undefined, undefined, 0]);
});

test("CgroupCounts.close() leaves no file open", async () => {
  await withGroup(2, async (counts, fill) => {
    await fill({ "cpu.stat": "usage_usec 5000\n", "pids.events": "max 0\n" });
    const before = await openFiles();
    counts.cpuMs();
    counts.refusedTasks();
    assert.equal(await openFiles(), before + 2);
    counts.close();
    assert.equal(await openFiles(), before);
  });
});
