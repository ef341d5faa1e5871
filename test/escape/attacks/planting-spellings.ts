// Attacks that plant a protected name under another spelling of it, or by a system call that is not `open`. As in planting.ts, the mediator holds them.
import path from "node:path";
import type { Attack } from "../harness/attack.ts";
import { hostContent, hostHas } from "../harness/stages.ts";

const onlyMediator = ["inner"] as const;
const marker = "planted-by-attack";

/** The program gets the write root and the marker; the attack worked when the host then reads the marker in the file. */
const spelled = (how: string, file: string, sh: string): Attack => ({
  name: how,
  families: [9, 27],
  program: { sh: `cd "$1" || exit 2; ${sh}` },
  heldBy: onlyMediator,
  stage: ({ ground }) => ({
    arguments: [ground.out, marker],
    succeeded: async () => ((await hostContent(path.join(ground.out, file))) ?? "").includes(marker),
  }),
});

const byCall = (how: string, call: string): Attack => ({
  name: how,
  families: [27],
  program: { c: "make-by-call" },
  heldBy: onlyMediator,
  stage: ({ ground }) => {
    const target = path.join(ground.out, ".envrc");
    return { arguments: [call, target, path.join(ground.out, "prepared")], succeeded: () => hostHas(target) };
  },
});

export const plantingSpellings: readonly Attack[] = [
  spelled("plants .EnvRc, another case of a protected name", ".EnvRc", `echo "$2" > .EnvRc`),
  spelled(
    "plants .envrc with dots, doubled slashes and a detour in its path",
    ".envrc",
    `mkdir -p sub/deeper; echo "$2" > .//sub/./deeper/..//.././//.envrc`,
  ),
  spelled(
    "makes .husky with slashes and dots after its name",
    ".husky/pre-commit",
    `mkdir .husky/ || mkdir .husky//.; echo "$2" > .husky/./pre-commit`,
  ),
  spelled(
    "moves a prepared directory to .husky with a slash after its name",
    ".husky/run",
    `mkdir plain; echo "$2" > plain/run; mv -T plain/ .husky/`,
  ),
  spelled("plants .envrc from its own directory deep below", "a/b/c/.envrc", `mkdir -p a/b/c; cd a/b/c || exit 2; echo "$2" > ../c/.envrc`),
  byCall("makes .envrc with creat", "creat"),
  byCall("makes .envrc with mknod", "mknod"),
  byCall("makes .envrc a pipe", "mkfifo"),
  byCall("makes .envrc with openat2", "openat2"),
  byCall("renames a prepared file to .envrc where nothing may be replaced", "rename-no-replace"),
  byCall("links a prepared file to .envrc by its descriptor", "link-by-descriptor"),
];
