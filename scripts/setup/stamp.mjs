// The note that this clone is set up: a copy of all that set-up depends on, made by the same shell function that ./glovebox compares it with.
// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** @param {{ build: string }} context */
const stampFile = ({ build }) => path.join(build, "setup.stamp");

/** @param {string} root */
function fingerprint(root) {
  const script = 'root=$1; . "$root/scripts/setup/start.sh"; fingerprint';
  const answer = spawnSync("/bin/sh", ["-c", script, "sh", root], { maxBuffer: 1 << 26 });
  return answer.stdout;
}

/** @param {{ root: string, build: string }} context */
export function stampIsCurrent(context) {
  return existsSync(stampFile(context)) && readFileSync(stampFile(context)).equals(fingerprint(context.root));
}

/** @param {{ root: string, build: string }} context */
export function writeStamp(context) {
  const temporary = `${stampFile(context)}.${process.pid}`;
  writeFileSync(temporary, fingerprint(context.root));
  renameSync(temporary, stampFile(context));
}
