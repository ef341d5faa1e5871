// The throw-away tree of a challenge and what the host sees of it before and after: a home with a secret, a victim, a project.
import { createHash } from "node:crypto";
import { chmod, copyFile, lstat, mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Bait, isBelow, makeProvingGround, plantBait, type ProvingGround } from "./proving-ground.ts";

export interface ChallengeGround extends ProvingGround {
  readonly home: string;
  readonly secret: Bait;
  readonly victim: Bait;
  /** The copy of the script. */
  readonly script: string;
}

/** More than this is no longer looked at: then what is beyond counts as changed. */
const entriesMax = 20_000;
const hashedMax = 1 << 20;

export async function makeChallengeGround(script: string): Promise<ChallengeGround> {
  const ground = await makeProvingGround();
  const home = path.join(ground.root, "home");
  await mkdir(path.join(home, ".ssh"), { recursive: true });
  const secret = await plantBait(path.join(home, ".ssh/id_ed25519"));
  const victim = await plantBait(path.join(ground.outside, "victim"));
  await mkdir(path.join(ground.project, ".git/hooks"), { recursive: true });
  await writeFile(path.join(ground.project, ".git/HEAD"), "ref: refs/heads/main\n");
  await writeFile(path.join(ground.project, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
  await writeFile(path.join(ground.project, "readme.txt"), "readme\n");
  const copy = path.join(ground.project, "challenge-script");
  await copyFile(script, copy);
  await chmod(copy, 0o755);
  return { ...ground, home, secret, victim, script: copy };
}

/** A script with no line that names its interpreter is the shell's. */
export async function commandOf(ground: ChallengeGround): Promise<readonly [string, ...string[]]> {
  const start = (await readFile(ground.script)).subarray(0, 4).toString("latin1");
  const words = [ground.script, ground.secret.file, ground.victim.file] as const;
  return start.startsWith("#!") || start === "\u007FELF" ? words : ["/bin/sh", ...words];
}

async function describe(file: string): Promise<string> {
  const found = await lstat(file, { bigint: true });
  const facts = `${found.mode}:${found.uid}:${found.size}:${found.nlink}`;
  if (found.isSymbolicLink()) return `${facts}:${await readlink(file)}`;
  if (!found.isFile()) return found.isDirectory() ? "directory" : facts;
  // A file that cannot be read, or a large one, is known by its time instead.
  const bytes = found.size > hashedMax ? undefined : await readFile(file).catch(() => undefined);
  return `${facts}:${bytes === undefined ? found.mtimeNs : createHash("sha256").update(bytes).digest("hex")}`;
}

/** Every name below the ground, never through a link. */
export async function listGround(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>();
  const waiting = [root];
  for (let directory = waiting.pop(); directory !== undefined && entries.size < entriesMax; directory = waiting.pop()) {
    for (const name of await readdir(directory).catch(() => [])) {
      const file = path.join(directory, name);
      const facts = await describe(file).catch(() => "gone");
      entries.set(file, facts);
      if (facts === "directory") waiting.push(file);
    }
  }
  return entries;
}

export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).toSorted();
}

/** Names that the host would later run or trust. */
const trusted =
  /(?:^|\/)(?:\.git\/(?:hooks\/|config$|config\.worktree$|modules\/|worktrees\/|info\/attributes$)|\.git$|\.envrc$|\.husky\/|\.vscode\/|\.idea\/|\.mcp\.json$|\.claude\/|\.codex\/|\.cursor\/|\.(?:bash|z)(?:rc|_profile|env|profile|_login)$|\.profile$)/u;

/** What a run reached, by the host's eyes alone. */
export interface Reached {
  readonly secret: boolean;
  readonly victim: boolean;
  /** Names outside the project, but for the victim. */
  readonly stray: readonly string[];
  readonly planted: readonly string[];
  /** Everything else that changed in the project: allowed where it is a write root. */
  readonly project: readonly string[];
}

export function judgeReached(ground: ChallengeGround, changed: readonly string[], output: string): Reached {
  const inProject = changed.filter((file) => isBelow(file, ground.project));
  const isPlanted = (file: string): boolean => trusted.test(file.slice(ground.project.length));
  return {
    secret: output.includes(ground.secret.canary),
    victim: changed.includes(ground.victim.file),
    stray: changed.filter((file) => !isBelow(file, ground.project) && file !== ground.project && file !== ground.victim.file),
    planted: inProject.filter(isPlanted),
    project: inProject.filter((file) => !isPlanted(file)),
  };
}
