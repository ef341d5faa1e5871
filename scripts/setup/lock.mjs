// One set-up of a clone at a time. The kernel holds the lock (flock on an open file), so that a killed set-up never leaves a stale one.
// @ts-check
import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { SetupError } from "./setup-error.mjs";

const patienceSeconds = 900;

/**
 * The lock belongs to the open file, which the short-lived `flock` shares with this process.
 * @param {number} file
 * @param {readonly string[]} how
 */
const flock = (file, how) => spawnSync("flock", [...how, "3"], { stdio: ["ignore", "ignore", "ignore", file] }).status === 0;

/**
 * @param {import("./context.mjs").SetupContext} context
 * @param {() => void} work
 */
export function withLock({ root, build, speaker }, work) {
  const lock = path.join(build, "setup.lock");
  const file = openSync(lock, "a", 0o600);
  try {
    if (!flock(file, ["--nonblock"])) {
      speaker.say("setup.waiting");
      if (!flock(file, ["--wait", String(patienceSeconds)])) throw new SetupError("setup.lock", { root, lock });
    }
    work();
  } finally {
    closeSync(file);
  }
}
