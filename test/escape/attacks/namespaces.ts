// Attacks that make namespaces of their own to get rid of mounts.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Attack } from "../harness/attack.ts";
import { type Ground, makeCanary } from "../harness/ground.ts";
import { changesFile, provesWith } from "../harness/stages.ts";

/** The control must defeat a mount, not an open door: outside, the protected file is first mounted read-only by a bubblewrap that allows nesting. */
const behindReadOnlyMount = (ground: Ground): readonly string[] => {
  const locked = path.join(ground.out, "locked.txt");
  return ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--ro-bind", locked, locked, "--"];
};

/** The same with the right to undo it: whoever has mounts of his own can take them away. */
const behindOwnMount = (ground: Ground): readonly string[] => {
  const locked = path.join(ground.out, "locked.txt");
  return [
    "bwrap",
    "--unshare-user",
    "--cap-add",
    "ALL",
    "--bind",
    "/",
    "/",
    "--dev-bind",
    "/dev",
    "/dev",
    "--ro-bind",
    locked,
    locked,
    "--",
  ];
};

const peelsMount = (name: string, how: string): Attack => ({
  name,
  families: [11],
  program: { c: "peel-mounts" },
  heldBy: ["outer", "inner"],
  controlPrefix: behindOwnMount,
  stage: async (scene) => {
    const judged = await changesFile("home/project/out/locked.txt")(scene);
    return { ...judged, arguments: [how, ...judged.arguments] };
  },
});

/** What lies in `fake` may be read; to be seen below `locked` it must have been mounted there. */
const stageFakeMount: Attack["stage"] = async ({ ground }) => {
  const fake = path.join(ground.project, "bait");
  const canary = makeCanary();
  await mkdir(fake);
  await chmod(fake, 0o777);
  await writeFile(path.join(fake, "bait.txt"), canary);
  const target = path.join(ground.out, "locked");
  return { arguments: [fake, target, path.join(target, "bait.txt")], succeeded: (run) => run.output.includes(canary) };
};

export const namespaces: readonly Attack[] = [
  {
    name: "leaves the mounts behind in a nested user namespace and writes a protected file through a descriptor",
    families: [10],
    program: { c: "nested-userns-detach" },
    heldBy: ["outer", "inner"],
    controlPrefix: behindReadOnlyMount,
    stage: async (scene) => ({
      ...(await changesFile("home/project/out/locked.txt")(scene)),
      arguments: [scene.ground.out, "locked.txt", "changed"],
    }),
  },
  {
    name: "leaves the mounts behind in a nested user namespace and renames over a protected file",
    families: [10],
    program: { c: "nested-userns-rename" },
    heldBy: ["outer", "inner"],
    controlPrefix: behindReadOnlyMount,
    stage: async (scene) => ({
      ...(await changesFile("home/project/out/locked.txt")(scene)),
      arguments: [scene.ground.out, "locked.txt", "mine.txt"],
    }),
  },
  {
    name: "mounts a directory of its own over another in a nested user namespace",
    families: [11],
    program: { c: "nested-userns-bind" },
    heldBy: ["outer", "inner"],
    stage: stageFakeMount,
  },
  {
    name: "mounts a clone of a directory over another by the newer calls in a nested user namespace",
    families: [11],
    program: { c: "nested-userns-tree" },
    heldBy: ["outer", "inner"],
    stage: stageFakeMount,
  },
  peelsMount("unmounts what keeps a protected file from being written", "umount"),
  peelsMount("mounts a protected file writable again", "remount"),
  peelsMount("clears the read-only attribute of a protected file's mount", "attribute"),
  ...["unshare", "clone", "clone3"].map((call): Attack => ({
    name: `makes a user namespace with ${call}`,
    families: [10],
    program: { c: "new-user-namespace" },
    heldBy: ["outer", "inner"],
    stage: provesWith("inside a namespace", () => [call]),
  })),
];
