// Attacks that leave in a write root a file that has power on the host: special bits, capabilities, device nodes.
import { chmod, copyFile, lstat, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Attack } from "../harness/attack.ts";
import { changesMetadata, hostContent, makesFile } from "../harness/stages.ts";

const bothLayers = ["outer", "inner"] as const;

async function countSpecialBits(directory: string): Promise<number> {
  let count = 0;
  for (const name of await readdir(directory)) {
    const { mode } = await lstat(path.join(directory, name));
    if ((mode & 0o6000) !== 0) count++;
  }
  return count;
}

export const privilegedFiles: readonly Attack[] = [
  {
    name: "leaves a setuid or setgid bit in the write root",
    families: [15],
    program: { c: "special-bits" },
    heldBy: ["inner"],
    stage: ({ ground, configuration }) => ({
      arguments: [ground.out],
      // Outside all ways must work (fchmodat2 is younger than some kernels); inside a single one is too many.
      succeeded: async () => (await countSpecialBits(ground.out)) >= (configuration === "outside" ? 10 : 1),
    }),
  },
  {
    name: "rewrites an existing setuid program of the write root through a mapping",
    families: [15],
    program: { c: "rewrite-mapped" },
    heldBy: ["inner"],
    stage: async ({ ground }) => {
      const target = path.join(ground.out, "program");
      await writeFile(target, "#!/bin/true and some more");
      await chmod(target, 0o4777);
      return {
        arguments: [target, "rewritten"],
        succeeded: async () => (await hostContent(target))?.startsWith("rewritten") === true && ((await stat(target)).mode & 0o4000) !== 0,
      };
    },
  },
  {
    name: "makes a device node in the write root",
    families: [15],
    users: ["root"],
    program: { sh: `mknod "$1" c 1 3` },
    heldBy: bothLayers,
    stage: makesFile("home/project/out/device"),
  },
  {
    name: "copies a setuid program of the write root with its bit",
    families: [15],
    program: { sh: `cp -p "$1" "$2/copy"; tar -C "$2" -cf - program | (mkdir "$2/unpacked" && cd "$2/unpacked" && tar -xpf -)` },
    heldBy: ["inner"],
    stage: async ({ ground }) => {
      const program = path.join(ground.out, "program");
      await copyFile("/bin/true", program);
      await chmod(program, 0o4755);
      const copies = async (): Promise<number> => {
        const found = [path.join(ground.out, "copy"), path.join(ground.out, "unpacked/program")].map((file) =>
          lstat(file).then(
            ({ mode }) => (mode & 0o6000) !== 0,
            () => false,
          ),
        );
        return (await Promise.all(found)).filter(Boolean).length;
      };
      return { arguments: [program, ground.out], succeeded: async () => (await copies()) > 0 };
    },
  },
  {
    name: "gives a file of the write root capabilities",
    families: [15],
    users: ["root"],
    program: { c: "file-capability" },
    heldBy: bothLayers,
    stage: changesMetadata("home/project/out/mine.txt"),
  },
];
