// The throw-away tree that probes act on: a project under the policy, and a place beside it that no rule names. The person's own project is never touched.
import { randomBytes } from "node:crypto";
import { lstat, mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { PathGlob } from "../contracts/boundary.ts";
import { systemErrorCode } from "../contracts/glovebox-error.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { removeTree } from "../kit/remove-tree.ts";

export interface Bait {
  readonly file: string;
  /** Cannot occur by chance. */
  readonly canary: string;
}

export interface ProvingGround extends AsyncDisposable {
  /** Canonical; everything below it is made and removed here. */
  readonly root: string;
  readonly project: string;
  readonly outside: string;
}

export const makeCanary = (): string => `canary-${randomBytes(16).toString("hex")}`;

export async function makeProvingGround(): Promise<ProvingGround> {
  const parent = await realpath(os.tmpdir());
  const root = await mkdtemp(path.join(parent, "glovebox-proof-"));
  const project = path.join(root, "project");
  const outside = path.join(root, "outside");
  for (const directory of [project, outside]) await mkdir(directory);
  return {
    root,
    project,
    outside,
    [Symbol.asyncDispose]: async () => {
      await removeTree(root, { parent });
    },
  };
}

/** @param file below the ground; where a directory is, the bait lies in it */
export async function plantBait(file: string): Promise<Bait> {
  const canary = makeCanary();
  const isDirectory = (await lstat(file).catch(() => undefined))?.isDirectory() === true;
  const place = isDirectory ? path.join(file, "bait") : file;
  await mkdir(path.dirname(place), { recursive: true });
  await writeFile(place, `${canary}\n`);
  return { file: place, canary };
}

export const isBelow = (file: string, directory: string): boolean => file.startsWith(`${directory}/`);

/** Rules that name places of the ground, deepest first, so that what holds others is made as a directory. */
function below(ground: ProvingGround, paths: readonly string[]): readonly string[] {
  return paths.filter((file) => isBelow(file, ground.project)).toSorted((left, right) => right.length - left.length);
}

export interface Baits {
  readonly allowed: Bait;
  /** Beside the project, named by no rule. */
  readonly outside: Bait;
  readonly deniedRead: readonly Bait[];
  readonly deniedWrite: readonly Bait[];
}

/** Enough to see a rule hold; more would only take longer. */
const baitsMax = 16;

/** A path that the pattern covers; undefined for one that takes more than filling in. */
function exampleOf({ segments }: PathGlob): string | undefined {
  const names = segments.flatMap(({ kind, text }) => {
    if (kind === "any") return ["deep", "below"];
    return kind === "literal" ? [text] : [text.replaceAll(/[*?]/gu, "x")];
  });
  return names.some((name) => /[[\\]/u.test(name)) ? undefined : `/${names.join("/")}`;
}

/** Every one is made, since no sandbox opens over a denied place that is missing; the first are probed. */
async function plantEach(files: readonly string[]): Promise<readonly Bait[]> {
  const baits: Bait[] = [];
  for (const file of files) baits.push(await plantBait(file));
  return baits.slice(0, baitsMax);
}

/** Makes what the policy's rules name inside the ground, before a sandbox opens over it. */
export async function plantNamed(ground: ProvingGround, { paths }: CompiledPolicy): Promise<Pick<Baits, "deniedRead" | "deniedWrite">> {
  for (const root of below(ground, paths.allowWrite)) await mkdir(root, { recursive: true });
  const covered = (paths.denyReadGlobs ?? []).flatMap((glob) => exampleOf(glob) ?? []);
  const deniedRead = await plantEach(below(ground, [...paths.denyRead, ...covered]));
  return { deniedRead, deniedWrite: await plantEach(below(ground, paths.denyWrite)) };
}

export async function plantBaits(ground: ProvingGround, policy: CompiledPolicy): Promise<Baits> {
  const { deniedRead, deniedWrite } = await plantNamed(ground, policy);
  const allowed = await plantBait(path.join(ground.project, "allowed"));
  const outside = await plantBait(path.join(ground.outside, "victim"));
  return { allowed, outside, deniedRead, deniedWrite };
}

export async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "latin1");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
