// A throw-away account with a copy of the working tree in its home, a folder that root does not own. Root only; everything of it goes away again.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface ThrowAwayUser extends Disposable {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
  /** The copy of the working tree. */
  readonly copy: string;
  /** Processes of the account that are still there. */
  processes(): number[];
}

function must(file: string, args: readonly string[]): string {
  // useradd lies where only root's PATH looks, and a test machine may have started us with another.
  const environment = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin:/usr/bin:/bin` };
  const ended = spawnSync(file, [...args], { encoding: "utf8", env: environment });
  if (ended.status !== 0) throw new Error(`Cannot run "${file} ${args.join(" ")}": ${ended.error?.message ?? ended.stderr.trim()}`);
  return ended.stdout.trim();
}

const notCopied = new Set([".git", "dist"]);

function processesOf(uid: number): number[] {
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/u.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      // One that has ended waits to be collected: by a parent that counts itself, or by the machine's first process, in its own time.
      if (status.includes(`\nUid:\t${uid}\t`) && !status.includes("\nState:\tZ")) found.push(Number(name));
    } catch {
      continue; // it ended meanwhile
    }
  }
  return found;
}

/** @param root the working tree to copy, with node_modules and build */
export function openThrowAwayUser(root: string): ThrowAwayUser {
  const name = `gbtest${randomBytes(4).toString("hex")}`;
  must("useradd", ["--create-home", "--shell", "/bin/sh", name]);
  const uid = Number(must("id", ["-u", name]));
  const close = (): void => {
    for (const pid of processesOf(uid)) process.kill(pid, "SIGKILL");
    must("userdel", ["--remove", "--force", name]);
  };
  try {
    const home =
      readFileSync("/etc/passwd", "utf8")
        .split("\n")
        .find((row) => row.startsWith(`${name}:`))
        ?.split(":")[5] ?? "";
    const copy = path.join(home, "glovebox");
    must("mkdir", [copy]);
    const parts = readdirSync(root).filter((part) => !notCopied.has(part));
    must("cp", ["-a", "--reflink=auto", ...parts.map((part) => path.join(root, part)), copy]);
    must("chown", ["-R", "-h", `${name}:`, copy]);
    return { name, uid, home, copy, processes: () => processesOf(uid), [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Runs `command` as that user: no groups of root, no capabilities, no variable of ours. */
export function commandAs(user: ThrowAwayUser, command: readonly string[]): string[] {
  const identity = [`--reuid=${user.uid}`, `--regid=${must("id", ["-g", user.name])}`, "--init-groups", "--inh-caps=-all"];
  return ["setpriv", ...identity, ...command];
}

export function environmentOf(user: ThrowAwayUser): NodeJS.ProcessEnv {
  const strict = process.env["CI"] === undefined ? {} : { CI: process.env["CI"] };
  return {
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: "/bin/sh",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    ...strict,
  };
}
