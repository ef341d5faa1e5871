// Attacks on a path that the policy keeps from being written and that does not exist when the sandbox opens. Nothing is mounted there, so that
// the guard's mediator alone holds it, whoever makes it first.
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Attack } from "../harness/attack.ts";
import type { Ground } from "../harness/ground.ts";
import { hostContent, hostHas } from "../harness/stages.ts";

const marker = "planted-by-attack";
/** Below the write root. Nothing leads to the second yet; the third is a directory. */
const unmade = ["plan.txt", "deep/er/plan.txt", "closed"] as const;

type Target = (typeof unmade)[number] | "closed/inner.txt";

type Row = Omit<Attack, "heldBy" | "paths">;

const row = (given: Row): Attack => ({
  ...given,
  heldBy: ["inner"],
  paths: ({ paths, out }) => ({ ...paths, denyWrite: [...paths.denyWrite, ...unmade.map((name) => path.join(out, name))] }),
});

/** The program runs in the write root and gets the marker; it worked when the host reads the marker at the target. */
const plants = (name: string, families: Attack["families"], target: Target, sh: string): Attack =>
  row({
    name,
    families,
    program: { sh: `cd "$1" || exit 2; ${sh}` },
    stage: ({ ground }) => ({
      arguments: [ground.out, marker],
      succeeded: async () => ((await hostContent(path.join(ground.out, target))) ?? "").includes(marker),
    }),
  });

const makes = (name: string, families: Attack["families"], program: string, words: (out: string, target: string) => readonly string[]) =>
  row({
    name,
    families,
    program: { c: program },
    stage: ({ ground }) => {
      const target = path.join(ground.out, "plan.txt");
      return { arguments: words(ground.out, target), succeeded: () => hostHas(target) };
    },
  });

const made: readonly Attack[] = [
  plants("writes a path that is kept from writing and does not exist", [102], "plan.txt", `echo "$2" > plan.txt`),
  plants(
    "makes the directories above such a path, and then the path",
    [102],
    "deep/er/plan.txt",
    `mkdir -p deep/er; echo "$2" > deep/er/plan.txt`,
  ),
  plants("makes such a directory and writes below it", [102], "closed/inner.txt", `mkdir -p closed; echo "$2" > closed/inner.txt`),
  plants("renames a prepared file to such a path", [5], "plan.txt", `echo "$2" > plain && mv plain plan.txt`),
  plants("links a prepared file to such a path", [7], "plan.txt", `echo "$2" > plain && ln plain plan.txt`),
  plants("makes such a path a link to a file of its own", [3], "plan.txt", `echo "$2" > plain && ln -s plain plan.txt`),
  plants("writes such a path through a dangling link", [3], "plan.txt", `ln -s plan.txt plain && echo "$2" > plain`),
  plants(
    "moves a prepared directory to such a directory",
    [5],
    "closed/inner.txt",
    `mkdir plain; echo "$2" > plain/inner.txt; mv plain closed`,
  ),
  plants(
    "moves a prepared directory above such a path",
    [5],
    "deep/er/plan.txt",
    `mkdir -p plain/er; echo "$2" > plain/er/plan.txt; mv plain deep`,
  ),
  plants(
    "moves a prepared directory between such a path and what is above it",
    [5],
    "deep/er/plan.txt",
    `mkdir deep plain; echo "$2" > plain/plan.txt; mv plain deep/er`,
  ),
  plants(
    "makes a directory above such a path a link to a prepared one",
    [2, 5],
    "deep/er/plan.txt",
    `mkdir deep plain; echo "$2" > plain/plan.txt; ln -s ../plain deep/er`,
  ),
  plants(
    "spells such a path another way",
    [1, 9],
    "deep/er/plan.txt",
    `mkdir -p deep/er; echo "$2" > "/proc/self/cwd/deep/../deep//er/plan.txt"`,
  ),
  makes("gives a nameless file the name of such a path", [13], "tmpfile-linkat", (out, target) => [out, target]),
  makes("binds a unix socket to such a path", [55], "bind-name", (_out, target) => [target]),
];

/** The host makes it while the sandbox is open. */
const hosts = "the host's own\n";
const planOf = (ground: Ground): string => path.join(ground.out, "deep/er/plan.txt");

const changes = (name: string, families: Attack["families"], sh: string): Attack => ({
  ...row({
    name,
    families,
    program: { sh: `cd "$1" || exit 2; ${sh}` },
    stage: ({ ground }) => ({ arguments: [ground.out, marker], succeeded: async () => (await hostContent(planOf(ground))) !== hosts }),
  }),
  meanwhile: async ({ ground }) => {
    const directory = path.dirname(planOf(ground));
    // As a whole, and open to the attacker whoever it is.
    const draft = path.join(ground.out, "draft");
    await mkdir(draft, { mode: 0o777 });
    await writeFile(path.join(draft, "plan.txt"), hosts, { mode: 0o666 });
    await mkdir(path.dirname(directory), { mode: 0o777 });
    await rename(draft, directory);
  },
});

const found: readonly Attack[] = [
  changes("appends to what the host made at such a path", [104], `echo "$2" >> deep/er/plan.txt`),
  changes("removes what the host made at such a path", [104], `rm -f deep/er/plan.txt`),
  changes("renames over what the host made at such a path", [104], `echo "$2" > plain; mv -f plain deep/er/plan.txt`),
  changes("renames what the host made at such a path", [104], `mv deep/er/plan.txt plain`),
  changes("renames the directory of what the host made at such a path", [5, 104], `mv deep/er plain`),
  changes("writes what the host made at such a path by another name", [7, 104], `ln deep/er/plan.txt plain; echo "$2" >> plain`),
];

export const unmadePaths: readonly Attack[] = [...made, ...found];
