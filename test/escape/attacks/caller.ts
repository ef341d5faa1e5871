// Attacks that live on what a careless caller of Glovebox leaves lying around: descriptors, variables, daemons, kernel settings.
import { rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { observe } from "../../fixtures/observe/observe.ts";
import type { Attack } from "../harness/attack.ts";
import { uniqueWord } from "../harness/peers.ts";
import { changesFile, hostContent, hostHas, readsCanary } from "../harness/stages.ts";

const bothLayers = ["outer", "inner"] as const;
const guardCloses = "bubblewrap passes on what it was started with; the guard, which the test build keeps, marks all of it to be closed";
const victim = "outside/victim.txt";

/** Processes of the host whose command line holds the word, a shell that only looks for it excepted. */
const processesWith = (word: string): readonly number[] =>
  observe({ markers: [word] })
    .processes.filter((one) => one.commandLine.includes(word))
    .map((one) => one.pid);

export const caller: readonly Attack[] = [
  {
    name: "reads through a descriptor with a high number that the caller forgot to close",
    families: [37],
    program: { c: "use-leaked-descriptors" },
    heldBy: [],
    heldAnyway: guardCloses,
    leaks: (ground) => path.join(ground.root, victim),
    stage: async (scene) => ({ ...(await readsCanary(victim)(scene)), arguments: ["read"] }),
  },
  {
    name: "writes through a descriptor with a high number that the caller forgot to close",
    families: [37],
    program: { c: "use-leaked-descriptors" },
    heldBy: [],
    heldAnyway: guardCloses,
    leaks: (ground) => path.join(ground.root, victim),
    stage: async (scene) => ({ ...(await changesFile(victim)(scene)), arguments: ["write"] }),
  },
  {
    name: "reads a secret from the caller's environment",
    families: [35],
    program: { sh: `{ env; cat /proc/self/environ /proc/1/environ; } 2>/dev/null | grep -ao 'gbcanary-[0-9a-f]*'; :` },
    heldBy: [],
    heldAnyway: "the environment is built from an allow-list, nothing is inherited",
    hostEnvironment: (ground) => ({ API_TOKEN: ground.canaryOf(path.join(ground.root, victim)) }),
    stage: readsCanary(victim),
  },
  {
    name: "leaves a daemon behind that left its session and ignores signals",
    families: [50],
    program: { sh: `setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 0.2; done' "$1" >/dev/null 2>&1 </dev/null &` },
    heldBy: [],
    heldAnyway: "the sandbox's pid namespace ends with the guard",
    stage: ({ resources }) => {
      const word = uniqueWord();
      const end = (): void => processesWith(word).forEach((pid) => process.kill(pid, "SIGKILL"));
      resources.defer(end);
      return { arguments: [word], succeeded: () => processesWith(word).length > 0 };
    },
  },
  {
    name: "changes a setting of the kernel",
    families: [49],
    users: ["root"],
    program: { sh: `echo "$1" > /proc/sys/kernel/printk_ratelimit_burst` },
    // Landlock leaves /proc writable (processes write there about themselves); the allocated uid and the read-only mount are the outer wall's.
    heldBy: ["outer"],
    stage: async ({ resources }) => {
      const setting = "/proc/sys/kernel/printk_ratelimit_burst";
      const before = (await hostContent(setting)) ?? "";
      resources.defer(() => writeFile(setting, before));
      return { arguments: [String(Number(before) + 1)], succeeded: async () => (await hostContent(setting)) !== before };
    },
  },
  {
    name: "makes a control group of the host",
    families: [49],
    users: ["root"],
    // A directory of version 1 without a controller mounted is none: only where the kernel answers with cgroup.procs is one.
    program: {
      sh: `for tree in /sys/fs/cgroup /sys/fs/cgroup/*; do [ -e "$tree/cgroup.procs" ] && mkdir "$tree/$1" 2>/dev/null && break; done; :`,
    },
    heldBy: bothLayers,
    stage: ({ resources }) => {
      const word = uniqueWord();
      const made = (): readonly string[] => observe().cgroups.filter((name) => path.basename(name) === word);
      resources.defer(async () => {
        for (const group of made()) if (await hostHas(group)) await rmdir(group);
      });
      return { arguments: [word], succeeded: () => made().length > 0 };
    },
  },
  {
    name: "writes into the system's programs",
    families: [102],
    users: ["root"],
    program: { sh: `echo planted > "$1"` },
    heldBy: bothLayers,
    stage: ({ resources }) => {
      const target = `/usr/local/bin/${uniqueWord()}`;
      resources.defer(() => rm(target, { force: true }));
      return { arguments: [target], succeeded: () => hostHas(target) };
    },
  },
];
