// Which mechanism keeps which limit of a sandbox, and with which numbers. Pure: what the machine offers is given.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { LimitMechanism, Limits } from "../contracts/limits.ts";
import { type ResourceLimit, resources } from "../guard/guard.ts";
import { type Cgroup, cgroupOf } from "./cgroups.ts";

export interface MachineFacts {
  readonly cgroups: readonly Cgroup[];
  /** Processors that we may use ourselves. */
  readonly processors: number;
}

export interface LimitPlan {
  readonly limits: Limits;
  readonly cgroups: readonly Cgroup[];
  /** For every command. */
  readonly resources: readonly ResourceLimit[];
  /** What the kernel allows in the user namespace, our own tasks included: one more than `processes`. */
  readonly tasksMaximum: number;
  /** Sizes of the private places, all of them memory. */
  readonly scratchBytes: number;
  readonly sharedBytes: number;
  /** The processors that the sandbox is bound to; undefined: all of them are few enough. */
  readonly boundProcessors: number | undefined;
  readonly mechanisms: readonly LimitMechanism[];
}

/** The guard, the command's keeper and its two mediators, which are there whatever may be written: they make every connection. */
const ownTasks = 4;
const fileSlackBytes = 2 ** 20;

/** The worst that was seen of hostile programs on two processors; `npm run bench` does not print them, test/e2e/limits.test.ts bounds them. */
export const overshoots = { cpuTime: "1 s", memory: "512 MiB", disk: "100 MiB" } as const;

function cgroupName(group: Cgroup): string {
  return `cgroup v${group.version}`;
}

function mechanismsOf(plan: Omit<LimitPlan, "mechanisms">): readonly LimitMechanism[] {
  const memory = cgroupOf(plan.cgroups, "memory");
  const cpu = cgroupOf(plan.cgroups, "cpu");
  const time = cgroupOf(plan.cgroups, "cpuacct");
  const pids = cgroupOf(plan.cgroups, "pids");
  const clock = time === undefined ? "the sum of the tree" : cgroupName(time);
  return [
    { limit: "cpuTime", mechanism: `${clock}, RLIMIT_CPU`, strength: "supervised", overshoot: overshoots.cpuTime },
    { limit: "cpuCores", mechanism: cpu === undefined ? "affinity" : cgroupName(cpu), strength: "held" },
    memory === undefined
      ? { limit: "memory", mechanism: "the sum of the tree", strength: "supervised", overshoot: overshoots.memory }
      : { limit: "memory", mechanism: cgroupName(memory), strength: "held" },
    {
      limit: "processes",
      mechanism: `${pids === undefined ? "" : `${cgroupName(pids)}, `}RLIMIT_NPROC of the user namespace`,
      strength: "held",
    },
    {
      limit: "disk",
      mechanism: "tmpfs sizes (held), RLIMIT_FSIZE, growth of the write roots",
      strength: "supervised",
      overshoot: overshoots.disk,
    },
    { limit: "openFiles", mechanism: "RLIMIT_NOFILE", strength: "held" },
  ];
}

function resourcesOf(limits: Limits, tasksMaximum: number, isCounted: boolean): readonly ResourceLimit[] {
  const whole = (resource: number, value: number): ResourceLimit => ({ resource, value: BigInt(Math.ceil(value)) });
  return [
    whole(resources.openFiles, limits.openFiles),
    // A control group that counts refusals is met first.
    whole(resources.processes, tasksMaximum + (isCounted ? 1 : 0)),
    // A little more, so that who fills one file has used up the limit of disk when its signal comes.
    whole(resources.fileBytes, limits.diskBytes + fileSlackBytes),
    // A second later than the sum of the tree, which is what normally notices.
    whole(resources.cpuSeconds, limits.cpuMs / 1000 + 1),
  ];
}

/** The processors that a sandbox is bound to; undefined: all of them are few enough. */
export function boundProcessors({ cpuCores }: Limits, { processors }: MachineFacts): number | undefined {
  const cores = Math.ceil(cpuCores);
  return cores < processors ? cores : undefined;
}

/** @throws WALL_UNAVAILABLE for a share of processors that this machine cannot hold */
export function planLimits(limits: Limits, facts: MachineFacts): LimitPlan {
  const { cgroups, processors } = facts;
  const cores = Math.ceil(limits.cpuCores);
  if (cgroupOf(cgroups, "cpu") === undefined && cores !== limits.cpuCores && limits.cpuCores < processors) {
    throw new GloveboxError("WALL_UNAVAILABLE", "wall.share-unheld", { values: { cores: limits.cpuCores, whole: cores } });
  }
  // One more, which is the one that ends the run: as many as are allowed are no offence.
  const tasksMaximum = limits.processes + ownTasks + 1;
  const plan = {
    limits,
    cgroups,
    resources: resourcesOf(limits, tasksMaximum, cgroupOf(cgroups, "pids") !== undefined),
    tasksMaximum,
    // Together less than the memory, so that who fills them meets the limit of disk.
    scratchBytes: Math.min(limits.diskBytes, Math.floor(limits.memoryBytes / 2)),
    sharedBytes: Math.min(limits.diskBytes, Math.floor(limits.memoryBytes / 4)),
    boundProcessors: boundProcessors(limits, facts),
  };
  return { ...plan, mechanisms: mechanismsOf(plan) };
}
