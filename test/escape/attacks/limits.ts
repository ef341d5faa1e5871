// Attacks on what limits a sandbox: out of its control groups, and through the settings by which the kernel starts programs for others.
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { observe } from "../../fixtures/observe/observe.ts";
import type { Attack } from "../harness/attack.ts";
import { uniqueWord } from "../harness/peers.ts";
import { hostContent, hostHas } from "../harness/stages.ts";

const bothLayers = ["outer", "inner"] as const;

/** A tree of control groups that counts processor time: of version 1, or the unified one. */
function countingTree(): { readonly tree: string; readonly counter: string } {
  const trees = observe().mounts.filter(({ namespace, type }) => namespace === "own" && ["cgroup", "cgroup2"].includes(type));
  const old = trees.find(({ type, at }) => type === "cgroup" && at.includes("cpuacct"));
  if (old !== undefined) return { tree: old.at, counter: "cpuacct.usage" };
  return { tree: trees.find(({ type }) => type === "cgroup2")?.at ?? "/sys/fs/cgroup", counter: "cpu.stat" };
}

/** The attacker spins a moment after it moved: time that is counted in the group is the proof. */
const movesInto: Attack["stage"] = async ({ resources }) => {
  const { tree, counter } = countingTree();
  const group = path.join(tree, uniqueWord());
  await mkdir(group);
  resources.defer(() => rmdir(group));
  const counted = async (): Promise<boolean> => {
    const text = await readFile(path.join(group, counter), "utf8");
    return Number(/\d+/u.exec(text)?.[0] ?? 0) > 0;
  };
  return { arguments: [path.join(group, "cgroup.procs")], succeeded: counted };
};

/** The setting is put back whatever happened. */
const changesSetting =
  (find: () => Promise<string>): Attack["stage"] =>
  async ({ resources }) => {
    const setting = await find();
    const before = await hostContent(setting);
    const word = uniqueWord();
    if (before !== undefined) resources.defer(() => writeFile(setting, before === "" ? "\n" : before));
    return { arguments: [setting, word], succeeded: async () => ((await hostContent(setting)) ?? "").includes(word) };
  };

async function releaseAgent(): Promise<string> {
  for (const { at } of observe().mounts.filter(({ namespace, type }) => namespace === "own" && type === "cgroup")) {
    const file = path.join(at, "release_agent");
    if (await hostHas(file)) return file;
  }
  return "/sys/fs/cgroup/release_agent"; // only version 2 is mounted: nobody can do it
}

const writes = `echo "$2" > "$1"`;

export const limits: readonly Attack[] = [
  {
    name: "moves itself to a control group that limits nothing",
    families: [49],
    users: ["root"],
    program: { sh: `echo $$ > "$1" && i=0 && while [ $i -lt 20000 ]; do i=$((i + 1)); done` },
    heldBy: bothLayers,
    stage: movesInto,
  },
  {
    name: "names a program that the host starts when a control group empties (release_agent)",
    families: [49],
    users: ["root"],
    program: { sh: writes },
    absentWhen: ["Directory nonexistent", "No such file or directory"],
    heldBy: bothLayers,
    stage: changesSetting(releaseAgent),
  },
  {
    name: "names a program that the host starts for core files (core_pattern)",
    families: [49],
    users: ["root"],
    program: { sh: writes },
    // As with every setting of the kernel: the allocated uid and the read-only mount are the outer wall's.
    heldBy: ["outer"],
    stage: changesSetting(() => Promise.resolve("/proc/sys/kernel/core_pattern")),
  },
  {
    name: "names a program that the host starts for devices (uevent_helper)",
    families: [49],
    users: ["root"],
    program: { sh: writes },
    absentWhen: ["Directory nonexistent", "No such file or directory", "Permission denied"],
    heldBy: bothLayers,
    stage: changesSetting(() => Promise.resolve("/sys/kernel/uevent_helper")),
  },
];
