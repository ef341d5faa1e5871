// The throw-away tree that one run attacks: a home with secrets, a project with a write root and rules, and a place that no rule names.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { PathPolicy } from "../../../src/contracts/boundary.ts";

export interface Ground {
  /** Canonical, below the directory for temporary files; everything else lies in it. */
  readonly root: string;
  readonly home: string;
  readonly project: string;
  /** The write root, inside the project. */
  readonly out: string;
  /** Programs of the run; readable, outside the write root. */
  readonly tools: string;
  /** No rule names it. */
  readonly outside: string;
  /** The sandbox's own directory on the host. */
  readonly private: string;
  readonly paths: PathPolicy;
  /** File -> the canary planted in it. */
  readonly canaryOf: (file: string) => string;
}

/** Something that cannot occur by chance. The prefix lets an attack look for canaries without knowing one. */
export const makeCanary = (): string => `gbcanary-${randomBytes(12).toString("hex")}`;

const secretFiles = [
  "home/.ssh/id_ed25519",
  "home/.aws/credentials",
  "home/notes.txt",
  "home/project/secret.txt",
  "home/project/vault/inner.txt",
  "home/project/out/secret.txt",
  "home/project/out/vault/inner.txt",
  "home/project/out/nest/vault/inner.txt",
  "outside/victim.txt",
];
const plainFiles = [
  "home/project/readme.txt",
  "home/project/out/locked.txt",
  "home/project/out/locked/file.txt",
  "home/project/out/mine.txt",
];

function rulesOf(project: string): PathPolicy {
  const out = path.join(project, "out");
  return {
    readDefault: "system",
    allowRead: [],
    denyRead: [
      path.join(project, "secret.txt"),
      path.join(project, "vault"),
      path.join(out, "secret.txt"),
      path.join(out, "vault"),
      path.join(out, "nest/vault"),
    ],
    allowWrite: [out],
    denyWrite: [path.join(out, "locked.txt"), path.join(out, "locked")],
  };
}

/** Stands in the path of every ground of this process: what carries it belongs to this test run. */
export const groundPrefix = `gb-escape-${process.pid}-`;

/** Everything is open to everyone: what protects it must be the wall, never an ordinary permission. */
async function plant(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  await chmod(file, 0o666);
}

async function openDirectories(directories: readonly string[]): Promise<void> {
  for (const directory of directories) await chmod(directory, 0o777);
}

export async function makeGround(resources: AsyncDisposableStack, parent: string = os.tmpdir()): Promise<Ground> {
  const root = await realpath(await mkdtemp(path.join(parent, groundPrefix)));
  resources.defer(() => rm(root, { recursive: true, force: true }));
  const canaries = new Map(secretFiles.map((file) => [path.join(root, file), makeCanary()]));
  for (const [file, canary] of canaries) await plant(file, `${canary}\n`);
  for (const file of plainFiles) await plant(path.join(root, file), `${path.basename(file)}\n`);
  const project = path.join(root, "home/project");
  const out = path.join(project, "out");
  const places = {
    root,
    home: path.join(root, "home"),
    project,
    out,
    tools: path.join(project, "tools"),
    outside: path.join(root, "outside"),
    private: path.join(root, "private"),
  };
  await mkdir(places.tools);
  await mkdir(places.private, { mode: 0o700 });
  await chmod(root, 0o755);
  await openDirectories([
    places.home,
    project,
    out,
    places.tools,
    places.outside,
    `${out}/vault`,
    `${out}/nest`,
    `${out}/nest/vault`,
    `${out}/locked`,
    `${project}/vault`,
  ]);
  const canaryOf = (file: string): string => {
    const canary = canaries.get(file);
    if (canary === undefined) throw new TypeError(`no canary was planted in ${file}`);
    return canary;
  };
  return { ...places, paths: rulesOf(project), canaryOf };
}
