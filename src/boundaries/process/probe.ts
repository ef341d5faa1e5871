// What this machine can hold of the process boundary: each line found by trying, never by asking for a version alone.
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { probeCaptive } from "../../captive/captive.ts";
import type { ProbeLine, ProbeReport } from "../../contracts/boundary.ts";
import type { Limits } from "../../contracts/limits.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import { type GuardProbe, parseProbe, sizes } from "../../guard/guard.ts";
import { capture } from "../../kit/spawn.ts";
import {
  allocatedUidBase,
  allocatedUidCount,
  type Cgroup,
  findCgroups,
  isExecutable,
  type LayoutOperation,
  layoutText,
  planLimits,
  runOperation,
} from "../../linux/linux.ts";
import { isOutOfProcesses } from "./failures.ts";
import { bubblewrapMinimum, bubblewrapVersion, findBubblewrap, guardProbe, isNewEnough } from "./tools.ts";

export interface ProbeTargets {
  readonly bubblewrap?: string;
  readonly guardPath: string;
  readonly launcherPath: string;
  readonly maskerPath: string;
  readonly captivePath: string;
}

interface Finding {
  readonly name: string;
  readonly works: boolean;
  readonly detail: string;
  readonly fix: Sentence;
}

const required = ({ name, works, detail, fix }: Finding): ProbeLine => ({
  name,
  state: works ? "works" : "missing",
  detail,
  fix: works ? undefined : fix,
  required: true,
});

function setting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").trim();
  } catch {
    return undefined; // this kernel does not have it
  }
}

/** The setting that stands in the way, as sysctl wants it. */
function namespaceSetting(): string {
  if (setting("user.max_user_namespaces") === "0") return "user.max_user_namespaces=28633";
  if (setting("kernel.unprivileged_userns_clone") === "0") return "kernel.unprivileged_userns_clone=1";
  if (setting("kernel.apparmor_restrict_unprivileged_userns") === "1") return "kernel.apparmor_restrict_unprivileged_userns=0";
  return "user.max_user_namespaces=28633";
}

function namespaceFix(detail: string): Sentence {
  if (isOutOfProcesses(detail)) return { key: "wall.fix.process-limit" };
  return { key: "wall.fix.user-namespaces", values: { setting: namespaceSetting() } };
}

/** Runs the guard's own probe behind every namespace that a sandbox needs; an ordinary user's launcher makes one of them. */
async function insideNamespaces(
  bubblewrap: string,
  { guardPath, launcherPath }: ProbeTargets,
): Promise<{ readonly probe: GuardProbe | undefined; readonly detail: string }> {
  const namespaces = ["user", "ipc", "pid", "net", "uts", "cgroup"].map((name) => `--unshare-${name}`);
  const args = [
    ...namespaces,
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--",
    guardPath,
    "probe",
  ];
  try {
    const isRoot = process.getuid?.() === 0; // whose launcher is tried apart, because it needs more
    const { code, stdout, stderr } = await (isRoot
      ? capture(bubblewrap, args)
      : capture(launcherPath, [], { stdin: layoutText([runOperation([bubblewrap, ...args])]) }));
    return { probe: code === 0 ? parseProbe(stdout) : undefined, detail: stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "" };
  } catch (error) {
    return { probe: undefined, detail: error instanceof Error ? error.message : "" }; // a probe reports, it never throws
  }
}

async function bubblewrapLine(file: string | undefined): Promise<ProbeLine> {
  const version = file === undefined ? undefined : await bubblewrapVersion(file);
  const needed = `${bubblewrapMinimum.major}.${bubblewrapMinimum.minor}`;
  const works = file !== undefined && version !== undefined && isNewEnough(version);
  const detail = version === undefined ? "" : works ? `${version} ${file}` : `${version} ${file} (>= ${needed})`;
  return required({ name: "bubblewrap", works, detail, fix: { key: "wall.fix.bubblewrap" } });
}

/** A line that could not be tried because something else is missing: it says so, and sends nobody to repair what may be whole. */
const untried = (name: string, missing: string): ProbeLine => ({
  name,
  state: "missing",
  detail: "",
  fix: { key: "wall.fix.first", values: { missing } },
  required: true,
});

function kernelLines(probe: GuardProbe | undefined): readonly ProbeLine[] {
  if (probe === undefined) return [untried("landlock", "guard"), untried("seccomp", "guard")];
  const abi = probe.landlockAbi;
  return [
    required({
      name: "landlock",
      works: abi >= sizes.landlockAbiMin,
      detail: `ABI ${abi} (>= ${sizes.landlockAbiMin})`,
      fix: { key: "wall.fix.landlock" },
    }),
    required({
      name: "seccomp",
      // Notification is what the mediator listens with.
      works: probe.hasSeccomp && probe.hasSeccompNotify,
      detail: probe.hasSeccompNotify ? "filter, notify" : "filter",
      fix: { key: "wall.fix.seccomp" },
    }),
    tracingLine(),
  ];
}

/** The mediator reads the paths of its descendants as a tracer would; Yama can forbid that even to an ancestor. */
function tracingLine(): ProbeLine {
  const scope = setting("kernel.yama.ptrace_scope") ?? "0";
  return required({
    name: "mediator",
    works: Number(scope) < 2,
    detail: `kernel.yama.ptrace_scope ${scope} (< 2)`,
    fix: { key: "wall.fix.ptrace-scope" },
  });
}

/** Makes one idmapped clone in a private mount namespace and lets it go again. */
async function tryIdmap({ launcherPath, guardPath }: ProbeTargets): Promise<{ readonly works: boolean; readonly detail: string }> {
  const directory = path.dirname(guardPath);
  const uid = allocatedUidBase + randomInt(allocatedUidCount); // of nobody: the launcher refuses one that another probe holds
  const operations: readonly LayoutOperation[] = [
    ["uid", String(uid)],
    ["stage", "/run"],
    ["idmap-ro", directory, "-", "probe"],
  ];
  try {
    const { code, stderr } = await capture(launcherPath, [], { stdin: layoutText([...operations, runOperation(["/usr/bin/true"])]) });
    return { works: code === 0, detail: code === 0 ? directory : stderr.trim().slice(0, 200) };
  } catch (error) {
    return { works: false, detail: error instanceof Error ? error.message : "" }; // a probe reports, it never throws
  }
}

/** The built-in policy needs it wherever the project lies below the home. */
function maskerLine({ maskerPath }: ProbeTargets): ProbeLine {
  const numbers = ["max_user_watches", "max_user_instances"].map((name) => `${name} ${setting(`fs.inotify.${name}`) ?? "unknown"}`);
  const detail = `${maskerPath}; fs.inotify: ${numbers.join(", ")}`;
  return required({ name: "masker", works: isExecutable(maskerPath), detail, fix: { key: "wall.fix.setup" } });
}

async function launcherLines(targets: ProbeTargets): Promise<readonly ProbeLine[]> {
  const works = isExecutable(targets.launcherPath);
  const launcher = required({ name: "launcher", works, detail: targets.launcherPath, fix: { key: "wall.fix.setup" } });
  if (!works || process.getuid?.() !== 0) return [launcher];
  return [launcher, required({ name: "idmapped-mounts", ...(await tryIdmap(targets)), fix: { key: "wall.fix.idmap" } })];
}

/** What keeps each limit here, as the answer sheet of a run will say it. */
function limitLines(): readonly ProbeLine[] {
  const cgroups = findCgroups("probe");
  const whole: Limits = { ...noLimits, cpuCores: 1 };
  const { mechanisms } = planLimits(whole, { cgroups, processors: os.availableParallelism() });
  const lines = mechanisms.map(({ limit, mechanism, strength, overshoot }): ProbeLine => ({
    name: `limit ${limit}`,
    state: "works",
    detail: `${strength}: ${mechanism}${overshoot === undefined ? "" : ` (+ ${overshoot})`}`,
    fix: undefined,
    required: false,
  }));
  return [
    ...lines,
    {
      name: "cgroups",
      state: cgroups.length > 0 ? "works" : "missing",
      detail: cgroupDetail(cgroups),
      fix: cgroupFix(cgroups),
      required: false,
    },
  ];
}

const noLimits: Limits = {
  cpuMs: 1,
  cpuCores: 1,
  memoryBytes: 1,
  processes: 1,
  diskBytes: 1,
  openFiles: 1,
  outputBytes: 1,
  returnedBytes: 1,
  wallMs: 1,
  denials: 1,
};

function cgroupDetail(cgroups: readonly Cgroup[]): string {
  return cgroups.map(({ version, controllers }) => `v${version} ${controllers.join(", ")}`).join("; ");
}

/** Not needed: it makes memory and shares of processors held instead of watched. */
function cgroupFix(cgroups: readonly Cgroup[]): Sentence | undefined {
  return cgroups.length > 0 ? undefined : { key: "wall.fix.cgroups" };
}

type Inside = Awaited<ReturnType<typeof insideNamespaces>>;

/** @param missing what is missing when nothing could be tried */
function namespacesLine(inside: Inside | undefined, missing: string): ProbeLine {
  if (inside === undefined) return untried("user-namespaces", missing);
  const works = inside.probe !== undefined;
  const detail = works ? "user, mount, pid, ipc, uts, cgroup, net" : inside.detail;
  return required({ name: "user-namespaces", works, detail, fix: namespaceFix(inside.detail) });
}

/** Without which namespaces cannot be tried. */
function missingBefore(bubblewrap: string | undefined, probe: GuardProbe | undefined, { launcherPath }: ProbeTargets): string | undefined {
  if (bubblewrap === undefined) return "bubblewrap";
  if (probe === undefined) return "guard";
  return isExecutable(launcherPath) ? undefined : "launcher";
}

/** Never throws. */
export async function probeProcessBoundary(targets: ProbeTargets): Promise<ProbeReport> {
  const bubblewrap = findBubblewrap(targets.bubblewrap);
  const probe = await guardProbe(targets.guardPath);
  const missing = missingBefore(bubblewrap, probe, targets);
  const inside = bubblewrap === undefined || missing !== undefined ? undefined : await insideNamespaces(bubblewrap, targets);
  const lines: readonly ProbeLine[] = [
    await bubblewrapLine(bubblewrap),
    namespacesLine(inside, missing ?? "bubblewrap"),
    required({ name: "guard", works: probe !== undefined, detail: targets.guardPath, fix: { key: "wall.fix.setup" } }),
    maskerLine(targets),
    ...kernelLines(inside?.probe ?? probe),
    ...(await launcherLines(targets)),
    await probeCaptive(targets),
    ...limitLines(),
  ];
  return { kind: "process", usable: lines.every((line) => !line.required || line.state === "works"), lines };
}
