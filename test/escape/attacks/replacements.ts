// Attacks on rules whose file the host replaces, or makes, after the sandbox was opened: editors save by renaming a new file over the old one.
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { literalSegments } from "../../../src/kit/path-glob.ts";
import type { Attack, Scene } from "../harness/attack.ts";
import type { Family } from "../harness/families.ts";
import { makeCanary } from "../harness/ground.ts";
import { changesFile } from "../harness/stages.ts";

/** Saves as an editor does. */
async function saveOver(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o666 });
  await rename(`${file}.new`, file);
}

const readsSaved = (file: string): Pick<Attack, "stage" | "meanwhile"> => {
  const saved = new WeakMap<Scene["ground"], string>();
  return {
    meanwhile: async ({ ground }) => {
      const canary = makeCanary();
      saved.set(ground, canary);
      await mkdir(path.dirname(path.join(ground.root, file)), { recursive: true });
      await saveOver(path.join(ground.root, file), canary);
    },
    stage: ({ ground }) => ({
      arguments: [path.join(ground.root, file)],
      succeeded: (run) => run.output.includes(saved.get(ground) ?? "never saved"),
    }),
  };
};

/** Strict: the guard performs every open, so that a denial holds without the masker's mount. */
const strictly = (ground: Scene["ground"]): Scene["ground"]["paths"] => ({ ...ground.paths, strict: true });
const deniedNow = "home/project/out/secret.txt";

const strictRow = (name: string, families: readonly Family[], how: string, rules = { paths: strictly, file: deniedNow }): Attack => {
  const saved = readsSaved(rules.file);
  return {
    name: `${name}, in strict mode`,
    families: [...families, 104],
    program: { c: "read-kept" },
    heldBy: ["outer", "inner"],
    paths: rules.paths,
    ...saved,
    stage: async (scene) => {
      const { arguments: words, succeeded } = await saved.stage(scene);
      return { arguments: [how, ...words, scene.ground.out], succeeded };
    },
  };
};

/** `keys/*.pem`, anywhere in the project. */
const globbed = (ground: Scene["ground"]): Scene["ground"]["paths"] => ({
  ...strictly(ground),
  denyReadGlobs: [
    {
      text: "**/keys/*.pem",
      segments: [
        ...literalSegments(ground.project),
        { kind: "any", text: "" },
        { kind: "literal", text: "keys" },
        { kind: "glob", text: "*.pem" },
      ],
    },
  ],
});
const globbedLater = "home/project/out/nest/keys/late.pem";

export const replacements: readonly Attack[] = [
  {
    name: "reads a denied file that the host replaced after the sandbox was opened",
    families: [104],
    program: { sh: `cat "$1"` },
    // No Landlock rule names the new file; the mount masked the old one.
    heldBy: ["inner"],
    ...readsSaved("home/project/secret.txt"),
  },
  {
    name: "reads a denied file that the host made only after the sandbox was opened",
    families: [104],
    program: { sh: `cat "$1"` },
    heldBy: ["inner"],
    paths: (ground) => ({ ...ground.paths, denyRead: [...ground.paths.denyRead, path.join(ground.project, "later.txt")] }),
    ...readsSaved("home/project/later.txt"),
  },
  {
    name: "reads a denied file in a write root that the host replaced after the sandbox was opened",
    families: [104],
    program: { sh: `cat "$1"` },
    // No layer of the inner wall takes a right back within a write root: the masker's mount alone.
    heldBy: ["outer"],
    ...readsSaved("home/project/out/secret.txt"),
  },
  {
    name: "writes a protected file in a write root that the host replaced after the sandbox was opened",
    families: [104],
    program: { sh: `echo changed > "$1"` },
    heldBy: ["inner"],
    meanwhile: ({ ground }) => saveOver(path.join(ground.out, "locked.txt"), "locked.txt\n"),
    stage: changesFile("home/project/out/locked.txt"),
  },
  {
    name: "reads a denied file in a write root that the host replaced, in strict mode",
    families: [104],
    program: { sh: `cat "$1"` },
    heldBy: ["outer", "inner"],
    paths: strictly,
    ...readsSaved(deniedNow),
  },
  {
    name: "reads a replaced file through its standard input, /proc/self/cwd and a link of its own, in strict mode",
    families: [1, 2, 104],
    program: {
      sh: `cat < "$1"; cd "$(dirname "$1")" || exit 2; cat /proc/self/cwd/secret.txt; ln -s secret.txt way; cat way; cat /proc/self/root"$1"; cat /proc/$$/cwd/secret.txt`,
    },
    heldBy: ["outer", "inner"],
    paths: strictly,
    ...readsSaved(deniedNow),
  },
  strictRow("reads a replaced file by a descriptor that it opened for nothing", [1], "path"),
  strictRow("reads a replaced file by a descriptor after removing its name", [1], "removed"),
  strictRow("swaps the path of a reading open between two threads", [5], "race"),
  strictRow("renames a replaced file and reads it", [5], "rename"),
  strictRow("links a replaced file and reads it", [7], "link"),
  {
    name: "reads a file that a pattern denies and the host made later, in strict mode",
    families: [101, 104],
    program: { sh: `cat "$1"` },
    heldBy: ["outer", "inner"],
    paths: globbed,
    ...readsSaved(globbedLater),
  },
  strictRow("renames the directory that a pattern names, and reads what the host put there later", [5], "above", {
    paths: globbed,
    file: globbedLater,
  }),
];
