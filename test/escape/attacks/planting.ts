// Attacks that plant in a write root what the host executes or trusts later. No mount can hold a name that does not exist yet: the guard's
// mediator does, so that with the inner wall taken away each of them succeeds.
import path from "node:path";
import { mkdir, stat, writeFile } from "node:fs/promises";
import type { Attack } from "../harness/attack.ts";
import type { Family } from "../harness/families.ts";
import { changesFile, hostContent, makesFile } from "../harness/stages.ts";

const onlyMediator = ["inner"] as const;
const marker = "planted-by-attack";

type StageMaker = Attack["stage"];
type Row = Omit<Attack, "heldBy">;
const rows = (list: readonly Row[]): readonly Attack[] => list.map((row) => ({ ...row, heldBy: onlyMediator }));

/** The program gets the path and the marker; the attack worked when the host then reads the marker in that file. */
const plantsText =
  (file: string, prepare: (target: string) => Promise<void> = async () => {}): StageMaker =>
  async ({ ground }) => {
    const target = path.join(ground.out, file);
    await prepare(target);
    return { arguments: [target, marker], succeeded: async () => ((await hostContent(target)) ?? "").includes(marker) };
  };

/** A file of the host's own at the target, with all that leads to it. */
const existing = async (target: string): Promise<void> => {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o777 });
  await writeFile(target, "the host's own\n", { mode: 0o666 });
};

const write = `mkdir -p "$(dirname "$1")"; echo "$2" > "$1"`;
const plantsByName = (families: readonly Family[], file: string): Row => ({
  name: `plants ${file}`,
  families,
  program: { sh: write },
  stage: plantsText(file),
});

const byName = rows([
  plantsByName([19], "a/b/c/d/.git/hooks/post-checkout"),
  plantsByName([9, 19], ".GIT/Hooks/pre-commit"),
  plantsByName([21], ".git/config.worktree"),
  plantsByName([22], ".git/modules/part/hooks/post-merge"),
  plantsByName([23], ".git/info/attributes"),
  plantsByName([25], ".git/config"),
  plantsByName([21], ".git/refs/x/commondir"),
  plantsByName([21], ".git/logs/y/commondir"),
  plantsByName([25], ".git/remotes/up"),
  plantsByName([25], ".git/branches/up"),
  plantsByName([26], ".bashrc"),
  plantsByName([26], "sub/.zshenv"),
  plantsByName([26], ".config/fish/config.fish"),
  plantsByName([27], ".envrc"),
  plantsByName([27], ".husky/pre-commit"),
  plantsByName([31], ".ssh/authorized_keys"),
  plantsByName([31], ".config/systemd/user/evil.service"),
  plantsByName([31], ".config/autostart/evil.desktop"),
  plantsByName([33], "glovebox.yaml"),
  plantsByName([33], ".glovebox/policy.yaml"),
  plantsByName([33], ".vscode/tasks.json"),
  plantsByName([33], ".claude/settings.json"),
  plantsByName([33], ".mcp.json"),
]);

const plantsBy = (how: string, families: readonly Family[], file: string, sh: string): Row => ({
  name: how,
  families,
  program: { sh },
  stage: plantsText(file),
});
/** As `plantsBy`, where the host has the file already. */
const changesBy = (how: string, families: readonly Family[], file: string, sh: string): Row => ({
  ...plantsBy(how, families, file, sh),
  stage: plantsText(file, existing),
});
const atRoot = `cd "$(dirname "$1")" || exit 2; `;

const sideways = rows([
  plantsBy("renames a prepared file to .envrc", [27], ".envrc", `${atRoot}echo "$2" > plain && mv plain .envrc`),
  plantsBy("links a prepared file to .envrc", [27], ".envrc", `${atRoot}echo "$2" > plain && ln plain .envrc`),
  plantsBy("writes .envrc through a dangling link", [27], ".envrc", `${atRoot}ln -s .envrc plain && echo "$2" > plain`),
  plantsBy("makes .envrc a link to its own file", [27], ".envrc", `${atRoot}echo "$2" > plain && ln -s plain .envrc`),
  plantsBy("reaches .envrc through /proc/self/cwd", [1, 27], ".envrc", `${atRoot}echo "$2" > /proc/self/cwd/.envrc`),
  changesBy("renames over an existing .envrc", [27], ".envrc", `${atRoot}echo "$2" > plain && mv -f plain .envrc`),
  changesBy("appends to an existing .envrc", [27], ".envrc", `echo "$2" >> "$1"`),
  changesBy("writes an existing .envrc through a hard link", [7, 27], ".envrc", `${atRoot}ln .envrc plain && echo "$2" >> plain`),
  changesBy(
    "moves a prepared directory to .husky",
    [27],
    ".husky/pre-commit",
    `cd "$(dirname "$1")/.." || exit 2; mkdir plain && echo "$2" > plain/pre-commit && rm -r .husky && mv plain .husky`,
  ),
  changesBy(
    "moves a prepared directory above .config/fish",
    [26],
    ".config/fish/config.fish",
    `cd "$(dirname "$1")/../.." || exit 2; rm -rf .config; mkdir -p plain/fish && echo "$2" > plain/fish/config.fish && mv plain .config`,
  ),
]);

/** `$1` is a file in a directory that the script makes; it works two levels above it. */
const twoUp = `base="$(dirname "$(dirname "$1")")"; cd "$(dirname "$base")" || exit 2; base="$(basename "$base")"; `;
const evilConfig = `printf '[core]\\n\\tfsmonitor = %s\\n'`;

const git = rows([
  plantsBy(
    "renames a hook from its sample",
    [19],
    ".git/hooks/pre-commit",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; echo "$2" > pre-commit.sample; mv pre-commit.sample pre-commit`,
  ),
  plantsBy(
    "moves a prepared directory to .git",
    [19],
    ".git/hooks/pre-commit",
    `${twoUp}mkdir -p plain/hooks && echo "$2" > plain/hooks/pre-commit && mv plain .git`,
  ),
  plantsBy(
    "moves prepared hooks into .git",
    [19],
    ".git/hooks/pre-commit",
    `${twoUp}mkdir plain .git && echo "$2" > plain/pre-commit && mv plain .git/hooks`,
  ),
  plantsBy(
    "makes hooks a link to a directory of its own",
    [19],
    ".git/hooks/pre-commit",
    `${twoUp}mkdir plain .git && echo "$2" > plain/pre-commit && ln -s ../plain .git/hooks`,
  ),
  plantsBy(
    "renames a configuration that executes",
    [25],
    ".git/config",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; ${evilConfig} "$2" > config.lock; mv config.lock config`,
  ),
  plantsBy(
    "renames a configuration that includes another file",
    [25],
    ".git/config",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; printf '[include]\\n\\tpath = %s\\n' "$2" > config.lock; mv config.lock config`,
  ),
  plantsBy(
    "renames a configuration whose remote starts a program",
    [25],
    ".git/config",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; printf '[remote "origin"]\\n\\turl = ext::%s\\n' "$2" > config.lock; mv config.lock config`,
  ),
  plantsBy(
    "changes a harmless configuration through a descriptor that it kept",
    [25],
    ".git/config",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; exec 7> config.lock; printf '[user]\\n\\tname = x\\n' >&7; mv config.lock config; ${evilConfig} "$2" >&7`,
  ),
  plantsBy(
    "configures a directory and then makes it a repository",
    [25],
    "bare/config",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; mkdir objects; ${evilConfig} "$2" > config; echo 'ref: refs/heads/main' > HEAD; [ -e HEAD ] || rm -f config`,
  ),
  plantsBy(
    "makes a repository and then configures it",
    [25],
    "bare/config",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; echo 'ref: refs/heads/main' > HEAD; ${evilConfig} "$2" > config`,
  ),
  plantsBy(
    "gives a common directory objects and references after its configuration",
    [21, 25],
    "common/config",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; ${evilConfig} "$2" > config; mkdir objects; mkdir refs; [ -d refs ] || rm -f config`,
  ),
  plantsBy(
    "makes a repository whose hooks it made before",
    [19],
    "bare/hooks/post-update",
    `mkdir -p "$(dirname "$1")"; echo "$2" > "$1"; cd "$(dirname "$1")/.." || exit 2; echo x > plain; mv plain HEAD; [ -e HEAD ] || rm -rf hooks`,
  ),
  plantsBy(
    "makes a repository whose remotes it made before",
    [25],
    "bare/remotes/up",
    `mkdir -p "$(dirname "$1")"; echo "$2" > "$1"; cd "$(dirname "$1")/.." || exit 2; echo x > HEAD; mkdir objects; mkdir refs; [ -e HEAD ] && [ -d refs ] || rm -rf remotes`,
  ),
  plantsBy(
    "makes a worktree's directory whose pointer it made before",
    [21],
    "part/gitdir",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; printf '/etc/%s/.git\\n' "$2" > gitdir; echo x > HEAD; [ -e HEAD ] || rm -f gitdir`,
  ),
  plantsBy(
    "hides a repository among the branches of another",
    [25],
    ".git/refs/part/config",
    `mkdir -p "$(dirname "$1")/objects"; cd "$(dirname "$1")" || exit 2; echo x > HEAD; ${evilConfig} "$2" > config`,
  ),
  plantsBy(
    "names a submodule so that it lies among the branches",
    [22],
    ".git/modules/refs/hooks/post-checkout",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")/.." || exit 2; mkdir -p objects; echo x > HEAD; echo "$2" > hooks/post-checkout`,
  ),
  {
    name: "points .git at a directory outside the write roots",
    families: [21],
    program: { sh: `cd "$(dirname "$1")" || exit 2; echo "gitdir: $2" > plain; cp plain "$1"; [ -e "$1" ] || rm -f plain` },
    stage: ({ ground }) => {
      const target = path.join(ground.out, ".git");
      return { arguments: [target, ground.outside], succeeded: async () => (await hostContent(target)) !== undefined };
    },
  },
  plantsBy(
    "points a repository at a common directory outside",
    [21],
    ".git/worktrees/x/commondir",
    `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; printf '/etc/%s/..\\n' "$2" > plain; cp plain "$1"; [ -e "$1" ] || rm -f plain`,
  ),
]);

/** The host switched it off by taking the right to execute it away. */
const switchesOn = (how: string, families: readonly Family[], file: string, sh: string): Row => ({
  name: how,
  families,
  program: { sh },
  stage: async ({ ground }) => {
    const target = path.join(ground.out, file);
    await existing(target);
    return { arguments: [target], succeeded: async () => ((await stat(target)).mode & 0o111) !== 0 };
  },
});

const switchedOff = rows([
  switchesOn("makes a hook executable that the host has switched off", [19], ".git/hooks/pre-commit", `chmod +x "$1"`),
  switchesOn(
    "makes .husky/pre-commit executable through a link of its own",
    [19, 27],
    ".husky/pre-commit",
    `${atRoot}cd .. && ln -s .husky/pre-commit plain; chmod 755 plain`,
  ),
  switchesOn("makes a hook executable by a descriptor", [19], ".git/hooks/post-merge", `exec 3< "$1"; chmod 755 /dev/fd/3`),
]);

const added = rows([
  {
    ...plantsBy("plants a name that the policy adds to the list", [27], "deep/Deploy.SH", write),
    paths: ({ paths }) => ({ ...paths, protectedNames: ["deploy.sh", "tools/run"] }),
  },
  {
    ...plantsBy(
      "renames a prepared file to a pair of names that the policy adds",
      [27],
      "tools/run",
      `mkdir -p "$(dirname "$1")"; cd "$(dirname "$1")" || exit 2; echo "$2" > plain; mv plain run`,
    ),
    paths: ({ paths }) => ({ ...paths, protectedNames: ["deploy.sh", "tools/run"] }),
  },
]);

const races = rows([
  {
    name: "swaps the path of its open between two threads",
    families: [19, 26],
    program: { c: "plant-race" },
    stage: makesFile("home/project/out/.bashrc", (ground) => ["path", ground.out]),
  },
  {
    name: "swaps the directory of its open between two threads",
    families: [19, 26],
    program: { c: "plant-race" },
    stage: makesFile("home/project/out/.bashrc", (ground) => ["link", ground.out]),
  },
  {
    name: "links a nameless file to a protected name",
    families: [13, 26],
    program: { c: "tmpfile-linkat" },
    stage: ({ ground }) => {
      const target = path.join(ground.out, ".bashrc");
      return { arguments: [ground.out, target], succeeded: async () => (await hostContent(target)) !== undefined };
    },
  },
  {
    name: "exchanges a file of its own with a protected one",
    families: [13, 27],
    program: { c: "rename-exchange" },
    stage: async (scene) => {
      await existing(path.join(scene.ground.out, ".envrc"));
      const judged = await changesFile("home/project/out/.envrc")(scene);
      return { ...judged, arguments: [path.join(scene.ground.out, "mine.txt"), path.join(scene.ground.out, ".envrc")] };
    },
  },
  {
    name: "binds a unix socket to a protected name",
    families: [27, 55],
    program: { c: "bind-name" },
    stage: makesFile("home/project/out/.envrc"),
  },
]);

export const planting: readonly Attack[] = [...byName, ...sideways, ...git, ...switchedOff, ...added, ...races];
