// What the host's own /proc says of one process of a sandbox. Evidence: nothing inside can answer in the kernel's place.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export const namespaceNames = ["user", "mnt", "pid", "ipc", "uts", "cgroup", "net"] as const;

export interface ProcessLook {
  readonly pid: number;
  readonly uid: number;
  /** Union of the effective, permitted, inheritable and ambient sets and the bounding set, hex; all zero means none. */
  readonly capabilities: string;
  readonly hasNoNewPrivs: boolean;
  /** Mode 2 is a filter. */
  readonly seccompMode: number;
  readonly seccompFilters: number;
  /** Name of a namespace -> its identity. */
  readonly namespaces: Readonly<Record<string, string>>;
  readonly openFilesMaximum: string;
  readonly interfaces: readonly string[];
  /** What each descriptor is. */
  readonly descriptors: readonly string[];
  readonly environment: readonly string[];
  /** What AppArmor, SELinux or another module says of it; empty where none speaks. */
  readonly securityLabel: string;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // what the host may not see is no evidence: every judge takes an empty answer as not seen
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function capabilitiesOf(field: (name: string) => string): string {
  const sets = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map((name) => field(name));
  if (sets.some((set) => !/^[0-9a-f]+$/u.test(set))) return "unseen";
  return sets.reduce((union, set) => union | BigInt(`0x${set}`), 0n).toString(16);
}

/** undefined once it has ended. */
export function lookAtProcess(pid: number | "self"): ProcessLook | undefined {
  const directory = `/proc/${pid}`;
  const status = textOf(`${directory}/status`);
  if (status === "") return undefined;
  const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, "mu").exec(status)?.[1] ?? "";
  const interfaces = textOf(`${directory}/net/dev`).split("\n").slice(2);
  return {
    pid: Number(field("Pid")),
    uid: Number(field("Uid")),
    capabilities: capabilitiesOf(field),
    hasNoNewPrivs: field("NoNewPrivs") === "1",
    seccompMode: Number(field("Seccomp")),
    seccompFilters: Number(field("Seccomp_filters")),
    namespaces: Object.fromEntries(namespaceNames.map((name) => [name, linkOf(`${directory}/ns/${name}`)])),
    openFilesMaximum: /^Max open files\s+\S+\s+(\S+)/mu.exec(textOf(`${directory}/limits`))?.[1] ?? "",
    interfaces: interfaces.flatMap((line) => line.split(":")[0]?.trim() || []),
    descriptors: namesIn(`${directory}/fd`).map((name) => linkOf(`${directory}/fd/${name}`)),
    environment: textOf(`${directory}/environ`)
      .split("\0")
      .filter((entry) => entry !== ""),
    securityLabel: textOf(`${directory}/attr/current`).replace(/\0.*$/su, "").trim(),
  };
}

/** Processes whose arguments are exactly these. */
export function processesWith(words: readonly string[]): readonly number[] {
  const wanted = `${words.join("\0")}\0`;
  return namesIn("/proc")
    .filter((name) => /^\d+$/u.test(name) && textOf(`/proc/${name}/cmdline`) === wanted)
    .map(Number);
}
