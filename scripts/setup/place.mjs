// Where set-up must not run at all: inside a sandbox, on another system, in a clone that is somebody else's or cannot be written.
// @ts-check
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { SetupError } from "./setup-error.mjs";

/** Every sandbox shows its guard here, read-only; nothing inside can take it away. */
export const guardInside = "/run/glovebox/guard";

/** @param {string} [guard] */
export function refuseInsideSandbox(guard = guardInside) {
  if (existsSync(guard)) throw new SetupError("setup.inside-sandbox");
}

/** @param {number} uid */
function userName(uid) {
  const rows = readFileSync("/etc/passwd", "utf8").split("\n");
  return rows.map((row) => row.split(":")).find((fields) => fields[2] === String(uid))?.[0] ?? `uid ${uid}`;
}

/** @param {Pick<import("./context.mjs").SetupContext, "root" | "forTests">} context */
export function refuseUnsuitablePlace({ root, forTests }) {
  if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) {
    throw new SetupError("setup.platform", { platform: `${process.platform} ${process.arch}` });
  }
  const owner = statSync(root).uid;
  const uid = process.getuid?.() ?? -1;
  // A test machine often hands root a clone that belongs to somebody else; a person's clone must not fill up with root's files.
  if (owner !== uid && !(uid === 0 && forTests)) {
    throw new SetupError("setup.other-owner", { root, owner: userName(owner), user: userName(uid) });
  }
  try {
    accessSync(root, constants.W_OK);
  } catch {
    // fails closed: whatever the reason is, nothing could be installed here
    throw new SetupError("setup.read-only", { root });
  }
}
