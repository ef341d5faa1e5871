// Attacks that want to read what a rule denies or the default view hides.
import { symlink } from "node:fs/promises";
import path from "node:path";
import { sha256Hex } from "../../../src/kit/digest.ts";
import { capture } from "../../../src/kit/spawn.ts";
import type { Attack } from "../harness/attack.ts";
import { hostContent, readsCanary } from "../harness/stages.ts";

const deniedOutsideRoots = "home/project/secret.txt";
const deniedInRoot = "home/project/out/secret.txt";

/** Inside a write root Landlock cannot take rights away again: there only the mounts hold a denied read (until the mediator does). */
const onlyMounts = ["outer"] as const;
const bothLayers = ["outer", "inner"] as const;

export const reads: readonly Attack[] = [
  {
    name: "reads a denied file by its name",
    families: [101],
    program: { sh: `cat "$1"` },
    heldBy: bothLayers,
    stage: readsCanary(deniedOutsideRoots),
  },
  {
    name: "reads a denied file in a write root by its name",
    families: [101],
    program: { sh: `cat "$1"` },
    heldBy: onlyMounts,
    stage: readsCanary(deniedInRoot),
  },
  {
    name: "reads a file below a denied directory",
    families: [101],
    program: { sh: `cat "$1"` },
    heldBy: bothLayers,
    stage: readsCanary("home/project/vault/inner.txt"),
  },
  {
    name: "reads a denied file through /proc/self/root",
    families: [1],
    program: { sh: `cat "/proc/self/root$1"` },
    heldBy: bothLayers,
    stage: readsCanary(deniedOutsideRoots),
  },
  {
    name: "reads a denied file through the root link of every process, the first one's included",
    families: [1],
    program: { sh: `for process in /proc/[0-9]*; do cat "$process/root$1" 2>/dev/null; done` },
    heldBy: bothLayers,
    stage: readsCanary(deniedOutsideRoots),
  },
  {
    name: "reads a denied file from its directory as the working directory",
    families: [1],
    program: { sh: `cd "\${1%/*}" && cat /proc/self/cwd/inner.txt` },
    heldBy: bothLayers,
    stage: readsCanary("home/project/vault/inner.txt"),
  },
  {
    name: "reads a denied file with `..`, doubled slashes and dots in its path",
    families: [1],
    program: { sh: `cat "\${2}//./out/../vault///./inner.txt"` },
    heldBy: bothLayers,
    stage: readsCanary("home/project/vault/inner.txt", (ground) => [ground.project]),
  },
  {
    name: "reads a denied directory through a link that it makes in the write root",
    families: [2],
    program: { sh: `ln -s "\${1%/*}" "$2/link" && cat "$2/link/inner.txt"` },
    heldBy: bothLayers,
    stage: readsCanary("home/project/vault/inner.txt", (ground) => [ground.out]),
  },
  {
    name: "reads a denied file through a hard link that it makes in the write root",
    families: [7],
    program: { sh: `ln "$1" "$2/hard" && cat "$2/hard"` },
    heldBy: bothLayers,
    stage: readsCanary(deniedOutsideRoots, (ground) => [ground.out]),
  },
  {
    name: "reads a denied directory after renaming the directory above it",
    families: [5],
    program: { sh: `mv "$2/nest" "$2/moved" && cat "$2/moved/vault/inner.txt"` },
    heldBy: bothLayers,
    stage: readsCanary("home/project/out/nest/vault/inner.txt", (ground) => [ground.out]),
  },
  {
    name: "reads the private key in the home directory",
    families: [101],
    program: { sh: `cat "$1"` },
    heldBy: bothLayers,
    stage: readsCanary("home/.ssh/id_ed25519"),
  },
  {
    name: "reads the cloud credentials in the home directory",
    families: [101],
    program: { sh: `cat "$1"` },
    heldBy: bothLayers,
    stage: readsCanary("home/.aws/credentials"),
  },
  {
    name: "searches the whole home directory for canaries",
    families: [101],
    program: { sh: `grep -rhao 'gbcanary-[0-9a-f]*' "$2" 2>/dev/null` },
    heldBy: bothLayers,
    stage: readsCanary("home/notes.txt", (ground) => [ground.home]),
  },
  {
    name: "reads a file of the host that no rule names",
    families: [101],
    program: { sh: `cat "$1"` },
    heldBy: bothLayers,
    stage: readsCanary("outside/victim.txt"),
  },
  {
    name: "reads the machine's password hashes",
    families: [101],
    users: ["root"],
    program: { sh: `sha256sum /etc/shadow` },
    heldBy: bothLayers,
    stage: async () => {
      const digest = sha256Hex(Buffer.from((await hostContent("/etc/shadow")) ?? "", "latin1"));
      return { arguments: [], succeeded: (run) => run.output.includes(digest) };
    },
  },
  {
    name: "reads a canary from a file that its rule names through a link",
    families: [2, 101],
    program: { sh: `cat "$1"` },
    heldBy: bothLayers,
    // The boundary is handed canonical paths; the attacker goes through the spelling that the link offers.
    stage: async ({ ground }) => {
      const target = path.join(ground.project, "secret.txt");
      await symlink(target, path.join(ground.project, "alias.txt"));
      return { arguments: [path.join(ground.project, "alias.txt")], succeeded: (run) => run.output.includes(ground.canaryOf(target)) };
    },
  },
  {
    name: "reads a denied file by its handle",
    families: [105],
    users: ["root"],
    program: { c: "open-by-handle" },
    heldBy: bothLayers,
    stage: async ({ ground, programs }) => {
      const target = path.join(ground.outside, "victim.txt");
      const { stdout } = await capture(await programs.compiled("print-file-handle"), [target]);
      return {
        arguments: [path.join(ground.project, "readme.txt"), stdout.trim()],
        succeeded: (run) => run.output.includes(ground.canaryOf(target)),
      };
    },
  },
  {
    name: "reads a configuration file of the system when only named paths are readable",
    families: [101],
    program: { c: "read-file" },
    heldBy: bothLayers,
    paths: (ground) => ({ ...ground.paths, readDefault: "none", allowRead: [ground.project] }),
    stage: async () => {
      const content = (await hostContent("/etc/profile")) ?? "";
      return { arguments: ["/etc/profile"], succeeded: (run) => content !== "" && run.output.includes(content) };
    },
  },
];
