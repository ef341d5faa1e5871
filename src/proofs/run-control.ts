// The positive control of a challenge: the script without Glovebox's walls, in a bare bubblewrap that only keeps the host from lasting harm.
// It has no Landlock, no filter and no mediator, and everything in the throw-away tree is open to it; see docs/adr/0012-challenge-control.md.
import { lchown, lstat, readdir } from "node:fs/promises";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { spawnProcess } from "../kit/spawn.ts";
import type { ChallengeGround } from "./challenge-ground.ts";

const limitMs = 30_000;
const outputMax = 1 << 20;
/** Of `nobody`: root's control is not root's. */
const nobody = 65_534;
/** How many processes more than the user has already. */
const processesMore = 256;

async function giveAway(file: string): Promise<void> {
  await lchown(file, nobody, nobody);
  if (!(await lstat(file)).isDirectory()) return;
  for (const name of await readdir(file)) await giveAway(path.join(file, name));
}

function processesOf(uid: number): number {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/u.test(name) && statSync(`/proc/${name}`).uid === uid;
    } catch {
      return false; // it ended
    }
  }).length;
}

export interface ControlParts {
  /** Absolute. */
  readonly bubblewrap: string;
  readonly uid: number;
  /** Of the host: hidden, as is the state. */
  readonly home: string;
  readonly state: string;
}

function wrapping(ground: ChallengeGround, { bubblewrap, uid, home, state }: ControlParts): readonly [string, ...string[]] {
  const isRoot = uid === 0;
  const hidden = ["/tmp", "/run", home, ...(isRoot || state.startsWith(`${home}/`) ? [] : [state])];
  const processes = processesOf(isRoot ? nobody : uid) + processesMore;
  const limits = [`--nproc=${processes}`, "--as=2147483648", "--fsize=67108864", "--cpu=30", "--core=0", "--nofile=1024"];
  const user = isRoot ? ["/usr/bin/setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"] : [];
  const namespaces = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];
  const kernel = ["--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"];
  const places = [...hidden.flatMap((place) => ["--tmpfs", place]), "--bind", ground.root, ground.root, "--chdir", ground.project];
  const words = [
    ...user,
    "/usr/bin/prlimit",
    ...limits,
    "--",
    bubblewrap,
    ...namespaces,
    "--ro-bind",
    "/",
    "/",
    ...kernel,
    ...places,
    "--",
  ];
  const [program = bubblewrap, ...rest] = words;
  return [program, ...rest];
}

export interface ControlEnd {
  readonly output: string;
  readonly code: number | undefined;
}

/** @throws SANDBOX_OPEN_FAILED when bubblewrap itself could not begin */
export async function runControl(ground: ChallengeGround, command: readonly string[], parts: ControlParts): Promise<ControlEnd> {
  if (parts.uid === 0) await giveAway(ground.root);
  const [program, ...rest] = wrapping(ground, parts);
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: ground.home, LANG: "C.UTF-8" };
  const child = spawnProcess(program, [...rest, ...command], { environment, stdio: ["ignore", "pipe", "pipe"], ownGroup: true });
  let output = "";
  const collect = (bytes: Buffer): void => {
    if (output.length < outputMax) output += bytes.toString("latin1");
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  // Its end is the end of its process namespace, and so of all that the script started.
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  child.on("error", reject).on("close", (code) => resolve(code ?? undefined));
  try {
    const code = await promise;
    if (output.startsWith("bwrap:") || output.startsWith("setpriv:") || output.startsWith("prlimit:"))
      throw new GloveboxError("SANDBOX_OPEN_FAILED", "challenge.no-control", { values: { detail: output.slice(0, 200).trim() } });
    return { output, code };
  } finally {
    clearTimeout(timer);
  }
}
