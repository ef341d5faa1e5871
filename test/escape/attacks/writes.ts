// Attacks that want to change something outside the write roots, or what a rule protects inside one.
import { lstat } from "node:fs/promises";
import path from "node:path";
import type { PathPolicy } from "../../../src/contracts/boundary.ts";
import type { Attack } from "../harness/attack.ts";
import type { Ground } from "../harness/ground.ts";
import { changesFile, changesMetadata, makesFile } from "../harness/stages.ts";

const bothLayers = ["outer", "inner"] as const;
/** Landlock knows nothing of chmod, chown, utimes and attributes; strict mode has rows of its own. */
const onlyMounts = ["outer"] as const;

const contentWrites: readonly Attack[] = [
  {
    name: "writes a host file that no rule names",
    families: [102],
    program: { sh: `echo changed > "$1"` },
    heldBy: bothLayers,
    stage: changesFile("outside/victim.txt"),
  },
  {
    name: "makes a host file outside every root",
    families: [102],
    program: { sh: `echo new > "$1"` },
    heldBy: bothLayers,
    stage: makesFile("outside/new.txt"),
  },
  {
    name: "writes into the read-only part of the project",
    families: [102],
    program: { sh: `echo changed > "$1"` },
    heldBy: bothLayers,
    stage: changesFile("home/project/readme.txt"),
  },
  {
    name: "makes a file in the read-only part of the project",
    families: [102],
    program: { sh: `echo new > "$1"` },
    heldBy: bothLayers,
    stage: makesFile("home/project/new.txt"),
  },
  {
    name: "makes a file in the home directory",
    families: [102],
    program: { sh: `echo new > "$1"` },
    heldBy: bothLayers,
    stage: makesFile("home/.profile"),
  },
  {
    name: "removes a file of the read-only part of the project",
    families: [102],
    program: { sh: `rm -f "$1"` },
    heldBy: bothLayers,
    stage: changesFile("home/project/readme.txt"),
  },
  {
    name: "writes a protected file in a write root",
    families: [102],
    program: { sh: `echo changed > "$1"` },
    heldBy: bothLayers,
    stage: changesFile("home/project/out/locked.txt"),
  },
  {
    name: "writes below a protected directory in a write root",
    families: [102],
    program: { sh: `echo changed > "$1"` },
    heldBy: bothLayers,
    stage: changesFile("home/project/out/locked/file.txt"),
  },
  {
    name: "renames a file of its own over a protected one",
    families: [102],
    program: { sh: `mv -f "$2/mine.txt" "$1"` },
    heldBy: bothLayers,
    stage: changesFile("home/project/out/locked.txt", (ground) => [ground.out]),
  },
  {
    name: "appends through /proc/self/root",
    families: [1, 102],
    program: { sh: `echo changed >> "/proc/self/root$1"` },
    heldBy: bothLayers,
    stage: changesFile("home/project/readme.txt"),
  },
];

const linkWrites: readonly Attack[] = [
  {
    name: "writes through a dangling link in the write root to a place outside",
    families: [3],
    program: { sh: `ln -s "$1" "$2/dangling" && echo new > "$2/dangling"` },
    heldBy: bothLayers,
    stage: makesFile("outside/new.txt", (ground) => [ground.out]),
  },
  {
    name: "writes a read-only file through a hard link that it makes in the write root",
    families: [7],
    program: { sh: `ln "$1" "$2/hard" && echo changed >> "$2/hard"` },
    heldBy: bothLayers,
    stage: changesFile("home/project/readme.txt", (ground) => [ground.out]),
  },
  {
    name: "gives a nameless file a name outside the write root",
    families: [13],
    program: { c: "tmpfile-linkat" },
    heldBy: bothLayers,
    stage: ({ ground }) => {
      const target = path.join(ground.outside, "linked.txt");
      return {
        arguments: [ground.out, target],
        succeeded: () =>
          lstat(target).then(
            () => true,
            () => false,
          ),
      };
    },
  },
  {
    name: "exchanges a file of its own with one of the read-only project",
    families: [13],
    program: { c: "rename-exchange" },
    heldBy: bothLayers,
    stage: async (scene) => {
      const { ground } = scene;
      const judged = await changesFile("home/project/readme.txt")(scene);
      return { ...judged, arguments: [path.join(ground.out, "mine.txt"), path.join(ground.project, "readme.txt")] };
    },
  },
];

const metadataWrites: readonly Attack[] = [
  {
    name: "truncates a read-only file",
    families: [14],
    program: { sh: `truncate -s 0 "$1"` },
    heldBy: bothLayers,
    stage: changesFile("home/project/readme.txt"),
  },
  {
    name: "changes the mode of a read-only file",
    families: [14],
    program: { sh: `chmod 0600 "$1"` },
    heldBy: onlyMounts,
    stage: changesMetadata("home/project/readme.txt"),
  },
  {
    name: "changes the group of a read-only file",
    families: [14],
    program: { sh: `chgrp "$(id -g)" "$1"` },
    heldBy: onlyMounts,
    stage: changesMetadata("home/project/readme.txt"),
  },
  {
    name: "changes the times of a read-only file",
    families: [14],
    program: { sh: `touch -d 2001-01-01 "$1"` },
    heldBy: onlyMounts,
    stage: changesMetadata("home/project/readme.txt"),
  },
  {
    name: "sets an attribute on a read-only file",
    families: [14],
    program: { c: "set-attribute" },
    heldBy: onlyMounts,
    stage: changesMetadata("home/project/readme.txt"),
  },
];

/** Strict: the guard judges these calls itself, so that a mount that is not there is not missed. */
const strictly = (ground: Ground): PathPolicy => ({ ...ground.paths, strict: true });

const strictMetadataWrites: readonly Attack[] = [
  ...[
    { what: "a read-only file", file: "home/project/readme.txt" },
    { what: "a host file that the view hides", file: "outside/victim.txt" },
    { what: "a protected file in a write root", file: "home/project/out/locked.txt" },
  ].map(({ what, file }): Attack => ({
    name: `changes mode, owner, times or attributes of ${what} by any call, in strict mode`,
    families: [1, 14],
    program: { c: "change-attributes" },
    heldBy: bothLayers,
    paths: strictly,
    stage: changesMetadata(file),
  })),
  {
    name: "swaps path and descriptor while it changes a mode, in strict mode",
    families: [14],
    program: { c: "race-attributes" },
    heldBy: bothLayers,
    paths: strictly,
    stage: changesMetadata("home/project/readme.txt", (ground) => [ground.out]),
  },
];

export const writes: readonly Attack[] = [...contentWrites, ...linkWrites, ...metadataWrites, ...strictMetadataWrites];
