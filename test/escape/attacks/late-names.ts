// Attacks on a pattern: what matches it appears, moves or gets another name while the sandbox is open, by the host's hand or by the command's own.
import { link, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { globSegments, literalSegments } from "../../../src/kit/path-glob.ts";
import type { Attack, Scene } from "../harness/attack.ts";
import { type Ground, makeCanary } from "../harness/ground.ts";

/** `.env` anywhere in the project, which is readable; `out` in it is a write root. */
function withPattern(ground: Ground): Ground["paths"] {
  const segments = [...literalSegments(ground.project), ...globSegments("**/.env")];
  return { ...ground.paths, denyReadGlobs: [{ text: `${ground.project}/**/.env`, segments }] };
}

interface Host {
  readonly ground: Ground;
  readonly canary: string;
  /** Writes the canary into a file of the project, with the directories above it. */
  readonly write: (file: string) => Promise<void>;
  /** An absolute path in the project. */
  readonly at: (file: string) => string;
}

type Deed = (host: Host) => Promise<unknown>;

/** @param before done before the sandbox is opened @param after between its opening and the program's start */
function canaryIn(before: Deed | undefined, after: Deed | undefined): Pick<Attack, "stage" | "meanwhile"> {
  const canaries = new WeakMap<Ground, string>();
  const hostOf = ({ ground }: Scene): Host => {
    const canary = canaries.get(ground) ?? makeCanary();
    canaries.set(ground, canary);
    const at = (file: string): string => path.join(ground.project, file);
    const write = async (file: string): Promise<void> => {
      await mkdir(path.dirname(at(file)), { recursive: true });
      await writeFile(at(file), canary, { mode: 0o666 });
    };
    return { ground, canary, at, write };
  };
  return {
    ...(after === undefined ? {} : { meanwhile: async (scene) => void (await after(hostOf(scene))) }),
    stage: async (scene) => {
      await before?.(hostOf(scene));
      return { arguments: [], succeeded: ({ output }) => output.includes(canaries.get(scene.ground) ?? "never planted") };
    },
  };
}

interface Row {
  readonly name: string;
  readonly families: Attack["families"];
  /** For /bin/sh, in the project. */
  readonly script: string;
  readonly before?: Deed;
  readonly after?: Deed;
  /** In a write root no Landlock rule takes a right back, and none is added to an open sandbox: masks alone hold what is late. */
  readonly heldBy?: Attack["heldBy"];
}

const rowOf = ({ name, families, script, before, after, heldBy = ["outer"] }: Row): Attack => ({
  name,
  families,
  program: { sh: script },
  paths: withPattern,
  heldBy,
  ...canaryIn(before, after),
});

const secret = "out/conf/.env";
const plant: Deed = ({ write }) => write(secret);

const rows: readonly Row[] = [
  {
    name: "reads what a pattern denies where only reading is allowed",
    families: [101],
    script: "cat conf/.env",
    before: ({ write }) => write("conf/.env"),
    heldBy: ["outer", "inner"],
  },
  { name: "reads what a pattern denies in a write root", families: [101], script: `cat ${secret}`, before: plant },
  {
    name: "reads what a pattern denies through a link of its own and a hard link of its own",
    families: [2, 7, 101],
    script: `cd out; ln -s conf/.env way; ln conf/.env hard; ln -s conf dir; cat way hard dir/.env /proc/self/cwd/conf/.env`,
    before: plant,
  },
  {
    name: "reads what a link of a denied name leads to, by that file's own name",
    families: [2, 101],
    script: "cat out/plain out/conf/.env",
    before: async ({ write, at }) => {
      await write("out/plain");
      await mkdir(at("out/conf"), { mode: 0o777 });
      await symlink("../plain", at(secret));
    },
  },
  {
    name: "reads what the host makes under a denied name after open",
    families: [104],
    script: "cat conf/.env",
    after: ({ write }) => write("conf/.env"),
    // Where something in the project is denied by a literal path, Landlock names what lies beside it: no rule names what is new.
    heldBy: ["outer", "inner"],
  },
  {
    name: "reads what the host makes under a denied name in a write root after open",
    families: [104],
    script: `cat ${secret}`,
    after: plant,
  },
  {
    name: "reads what the host makes under a denied name in new directories, eight deep",
    families: [104],
    script: "cat out/1/2/3/4/5/6/7/8/.env",
    after: ({ write }) => write("out/1/2/3/4/5/6/7/8/.env"),
  },
  {
    name: "reads what the host puts in the place of a file that a pattern denies",
    families: [104],
    script: `cat ${secret}`,
    before: async ({ at }) => {
      await mkdir(at("out/conf"));
      await writeFile(at(secret), "old");
    },
    after: async ({ write, at }) => {
      await write("out/conf/.env.new");
      await rename(at("out/conf/.env.new"), at(secret));
    },
  },
  {
    name: "reads a denied name in a directory that the host moves in from elsewhere",
    families: [104],
    script: "cat out/moved/deep/.env",
    after: async ({ ground, write, at }) => {
      await write("../elsewhere/deep/.env");
      await rename(path.join(ground.home, "elsewhere"), at("out/moved"));
    },
  },
  {
    name: "reads a denied file by a further name that the host gives it",
    families: [6, 104],
    script: "cat out/conf/other",
    before: plant,
    after: ({ at }) => link(at(secret), at("out/conf/other")),
  },
  {
    name: "reads a denied file where the host has renamed the directory above it, and what is in that directory's place",
    families: [5, 104],
    script: "cat out/conf.old/.env out/conf/.env",
    before: plant,
    after: async ({ write, at }) => {
      await rename(at("out/conf"), at("out/conf.old"));
      await write(secret);
    },
  },
  {
    name: "reads a denied file that the host gives a denied name only after open",
    families: [104],
    script: `cat ${secret}`,
    before: ({ write }) => write("out/conf/draft"),
    after: ({ at }) => rename(at("out/conf/draft"), at(secret)),
  },
  {
    name: "reads a denied name below directories whose names are no text",
    families: [9, 104],
    script: `find . -name .env -exec cat {} +`,
    after: async ({ at, canary }) => {
      const odd = Buffer.concat([Buffer.from(`${at("out")}/a\nb'"$(id) `), Buffer.from([0xff, 0xfe])]);
      await mkdir(odd);
      await writeFile(Buffer.concat([odd, Buffer.from("/.env")]), canary);
    },
  },
  {
    name: "detaches the mask of a denied file: unmounts it, removes it, moves it and what is above it",
    families: [10, 11, 104],
    script: [
      "cd out; umount conf/.env; umount -l conf/.env; unshare -rm sh -c 'umount -l conf/.env; cat conf/.env'",
      "mv conf/.env conf/seen; mv conf conf2; cat conf2/.env conf2/seen conf/.env conf/seen",
      "exec 3<conf2; rm -rf conf2; cat /proc/self/fd/3/.env; mkdir conf; cat conf/.env",
    ].join("; "),
    before: plant,
  },
];

export const lateNames: readonly Attack[] = rows.map(rowOf);
