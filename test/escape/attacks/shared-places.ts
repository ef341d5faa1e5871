// Attacks that meet the host, or another sandbox, in a place that every process of a machine shares.
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { constants } from "node:fs";
import { open, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Attack, Scene, Stage } from "../harness/attack.ts";
import { uniqueWord } from "../harness/peers.ts";
import { hostContent, hostHas } from "../harness/stages.ts";

const run = promisify(execFile);

const leavesFile =
  (directory: string): Attack["stage"] =>
  ({ resources }) => {
    const target = path.join(directory, uniqueWord());
    resources.defer(() => rm(target, { force: true }));
    return { arguments: [target], succeeded: () => hostHas(target) };
  };

/** A pipe in the host's directory for temporary files, with a host process at its other end. */
async function stagePipe({ resources }: Scene): Promise<Stage> {
  const pipe = path.join("/tmp", uniqueWord());
  resources.defer(() => rm(pipe, { force: true }));
  await run("/usr/bin/mkfifo", ["-m", "0666", pipe]);
  const reader = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  resources.defer(() => reader.close());
  const received = async (): Promise<string> => {
    const { bytesRead, buffer } = await reader.read(Buffer.alloc(64), 0, 64).catch(() => ({ bytesRead: 0, buffer: Buffer.alloc(0) }));
    return buffer.toString("latin1", 0, bytesRead);
  };
  return { arguments: [pipe], succeeded: async () => (await received()).includes("through the pipe") };
}

async function stageSegment({ programs, resources }: Scene): Promise<Stage> {
  const key = String(randomInt(1, 2 ** 30));
  const remover = await programs.compiled("drop-shared-memory");
  resources.defer(() => run(remover, [key]).then(() => undefined));
  const isThere = async (): Promise<boolean> =>
    ((await hostContent("/proc/sysvipc/shm")) ?? "").split("\n").some((line) => line.trim().split(/\s+/u)[0] === key);
  return { arguments: [key], succeeded: isThere };
}

export const sharedPlaces: readonly Attack[] = [
  {
    name: "leaves a file in the host's /tmp",
    families: [58],
    program: { sh: `echo left > "$1"` },
    heldBy: ["outer", "inner"],
    stage: leavesFile("/tmp"),
  },
  {
    name: "leaves a file in the host's /var/tmp",
    families: [58],
    program: { sh: `echo left > "$1"` },
    heldBy: ["outer", "inner"],
    stage: leavesFile("/var/tmp"),
  },
  // Shared memory of the libraries needs the name /dev/shm, so Landlock opens it: that it is a private one is the mount's doing.
  {
    name: "leaves a file in the host's /dev/shm",
    families: [58],
    program: { sh: `echo left > "$1"` },
    heldBy: ["outer"],
    stage: leavesFile("/dev/shm"),
  },
  {
    name: "talks to a host process through a named pipe in /tmp",
    families: [58],
    program: { sh: `[ -p "$1" ] && echo 'through the pipe' > "$1"` },
    heldBy: ["outer", "inner"],
    stage: stagePipe,
  },
  { name: "leaves a shared memory segment", families: [58], program: { c: "share-memory" }, heldBy: ["outer"], stage: stageSegment },
];
