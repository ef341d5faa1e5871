// Whether this machine can make a captive network, and of which form: found by making one. Nothing needs it unless something may leave.
import { randomInt } from "node:crypto";
import path from "node:path";
import type { ProbeLine } from "../contracts/boundary.ts";
import { capture } from "../kit/spawn.ts";
import { allocatedUidBase, allocatedUidCount, isExecutable, type LayoutOperation, layoutText, runOperation } from "../linux/linux.ts";
import { captiveFailure } from "./captive-failure.ts";

export interface CaptiveTargets {
  readonly captivePath: string;
  readonly launcherPath: string;
}

const details: Readonly<Record<string, string>> = { one: "one network (no veth)", two: "two networks" };

/** Root's own id may not own a network: the probe runs, as a sandbox would, under one that nobody has. */
function probeLayout(captivePath: string): readonly LayoutOperation[] {
  if (process.getuid?.() !== 0) return [runOperation([captivePath, "--probe"])];
  return [
    ["uid", String(allocatedUidBase + randomInt(allocatedUidCount))],
    ["stage", "/dev/shm"],
    ["idmap-ro", path.dirname(captivePath), "-", "probe"],
    runOperation([`/dev/shm/probe/${path.basename(captivePath)}`, "--probe"]),
  ];
}

async function tryCaptive(targets: CaptiveTargets): Promise<Pick<ProbeLine, "detail" | "fix" | "state">> {
  const missing = (detail: string, key: string) => ({ state: "missing", detail, fix: { key } }) as const;
  if (!isExecutable(targets.captivePath)) return missing(targets.captivePath, "wall.fix.setup");
  try {
    const { code, stdout, stderr } = await capture(targets.launcherPath, [], { stdin: layoutText(probeLayout(targets.captivePath)) });
    if (code === 0) return { state: "works", detail: details[stdout.trim()] ?? "", fix: undefined };
    const failure = captiveFailure(stderr);
    return failure === undefined ? missing(stderr.trim().slice(0, 200), "wall.fix.setup") : { state: "missing", ...failure };
  } catch (error) {
    return missing(error instanceof Error ? error.message : "", "wall.fix.setup"); // a probe reports, it never throws
  }
}

/** Never throws. */
export async function probeCaptive(targets: CaptiveTargets): Promise<ProbeLine> {
  return { name: "captive-network", required: false, ...(await tryCaptive(targets)) };
}
