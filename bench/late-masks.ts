// How long a command that spins on a denied name can read what the host puts there, and what looking through a large project costs at open.
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { LateMasks, PathGlob, Sandbox } from "../src/contracts/boundary.ts";
import { globSegments, literalSegments } from "../src/kit/path-glob.ts";
import { capture } from "../src/kit/spawn.ts";
import { openBenchSandbox } from "./open.ts";

/** Of one file that appeared while a command was reading it: microseconds. */
export interface LateMask {
  /** From the reader's first success to its first refusal; 0: it never had one. */
  readonly readableUs: number;
  /** From the kernel's notice to the mask, as the record says. */
  readonly windowUs: number;
}

const envBelow = (place: string): PathGlob => ({
  text: `${place}/**/.env`,
  segments: [...literalSegments(place), ...globSegments("**/.env")],
});

/** The masker's word comes by a way of its own, at times after the reader's last. */
async function lateMaskOf(sandbox: Sandbox, target: string): Promise<LateMasks["first"][number] | undefined> {
  for (const deadline = performance.now() + 10_000; performance.now() < deadline; await setTimeout(2)) {
    const late = sandbox.lateMasks.first.find((mask) => mask.path === target);
    if (late !== undefined) return late;
  }
  return undefined;
}

/** The host makes it elsewhere and moves it in, as a program that saves does. */
async function spinOnce(sandbox: Sandbox, project: string, round: number): Promise<LateMask> {
  const directory = path.join(project, `round${round}`);
  await mkdir(directory);
  await writeFile(path.join(directory, "draft"), "secret");
  const target = path.join(directory, ".env");
  const execution = await sandbox.exec({ argv: [path.join(project, "spin-reader"), target], cwd: project });
  execution.endStdin();
  let said = "";
  for await (const { bytes } of execution.output) {
    const isFirst = said === "";
    said += Buffer.from(bytes).toString();
    if (isFirst) await rename(path.join(directory, "draft"), target);
  }
  const late = await lateMaskOf(sandbox, target);
  const readableUs = Number(said.trim().split("\n")[1]);
  if (late === undefined || Number.isNaN(readableUs))
    throw new Error(`Cannot measure round ${round}: no late mask, or the reader said "${said}"`);
  return { readableUs, windowUs: late.windowUs };
}

/** @param base an empty directory; at most 100 rounds, since the sheet keeps the first hundred masks */
export async function measureLateMasks(base: string, rounds: number): Promise<readonly LateMask[]> {
  const source = path.join(import.meta.dirname, "../test/fixtures/spin-reader.c");
  const project = path.join(base, "project");
  await mkdir(project, { recursive: true });
  const { code, stderr } = await capture("/usr/bin/gcc", ["-O2", "-static", "-o", path.join(project, "spin-reader"), source], {
    environment: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  });
  if (code !== 0) throw new Error(`Cannot build the reader: ${stderr}`);
  const { sandbox } = await openBenchSandbox(base, { denyReadGlobs: [envBelow(project)] });
  try {
    const masks: LateMask[] = [];
    for (let round = 0; round < rounds; round += 1) masks.push(await spinOnce(sandbox, project, round));
    return masks;
  } finally {
    await sandbox.close();
  }
}

const spread = (values: readonly number[]): string => {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share: number): string => `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]} us`;
  return `min ${at(0)}, p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}`;
};

export function lateMaskLines(masks: readonly LateMask[]): readonly string[] {
  return [
    `late mask window, from the kernel's notice to the mask: ${spread(masks.map(({ windowUs }) => windowUs))}`,
    `a spinning reader could open the file for: ${spread(masks.map(({ readableUs }) => readableUs))} (${masks.length} rounds)`,
  ];
}

/** What the masker says of its look through a project with so many files, ten in a directory. */
async function scanLine(base: string, files: number): Promise<string> {
  const place = path.join(base, `files${files}`);
  const project = path.join(place, "project");
  for (let directory = 0; directory < files / 10; directory += 1) {
    const at = path.join(project, String(directory % 100), String(directory));
    await mkdir(at, { recursive: true });
    await Promise.all(Array.from({ length: 10 }, (_, file) => writeFile(path.join(at, String(file)), "")));
  }
  const { sandbox } = await openBenchSandbox(place, { denyReadGlobs: [envBelow(project)] });
  const detail = sandbox.walls.layers.find(({ name }) => name === "masker")?.detail ?? "no masker";
  await sandbox.close();
  return `${files} files: ${detail}`;
}

export async function benchLateMasks(rounds = 40): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-late-")));
  console.log("\nmasks");
  try {
    for (const line of lateMaskLines(await measureLateMasks(base, rounds))) console.log(`  ${line}`);
    for (const files of [5_000, 100_000]) console.log(`  ${await scanLine(base, files)}`);
  } finally {
    await rm(base, { recursive: true });
  }
}
