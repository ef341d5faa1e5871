// The ordinary-user lane: success as root alone proves little, so the process lanes run again as somebody who is not root.
import path from "node:path";
import { judgeIdentity, readIdentity } from "./identity.ts";
import { addCounts } from "./lane-count.ts";
import { lanes, userLane } from "./lanes.ts";
import { type LaneOptions, type LaneResult, runCounting } from "./run-lane.ts";
import { commandAs, environmentOf, openThrowAwayUser, type ThrowAwayUser } from "./throw-away-user.ts";

/** Set for the run on the copy: it then proves its identity first. */
export const ordinaryUserFlag = "--as-ordinary-user";

/**
 * As root: on a copy in a throw-away account. As an ordinary user the lanes have just run in place, and only the identity is left to prove.
 *
 * @param othersEnded the account is removed no earlier: with it the machine gets a new file of accounts, and what other tests had mounted over
 *   the old one is gone from under them
 */
export async function runUserLane(options: LaneOptions, othersEnded: Promise<void>): Promise<LaneResult> {
  if (process.getuid?.() !== 0) {
    options.show(`\n== ${userLane.name}\n  the lanes above ran in place: this is an ordinary user already\n`);
    return { ...judgeIdentity(readIdentity()), name: userLane.name };
  }
  try {
    using user = openThrowAwayUser(options.root);
    const result = await runOnCopy(user, options);
    await othersEnded;
    return result;
  } catch (error) {
    // fails closed because a lane that could not run has not passed
    const complaint = error instanceof Error ? error.message : String(error);
    options.show(`✖ lane ${userLane.name}: ${complaint}\n`);
    return { name: userLane.name, count: { passed: 0, failed: 1, skipped: 0 }, complaints: [complaint], seconds: 0 };
  }
}

async function runOnCopy(user: ThrowAwayUser, options: LaneOptions): Promise<LaneResult> {
  const node = path.join(user.copy, path.relative(options.root, process.execPath));
  const selected = lanes.filter((lane) => lane.as !== "root").flatMap((lane) => ["--lane", lane.name]);
  const command = commandAs(user, [node, path.join(user.copy, "scripts/test.ts"), ordinaryUserFlag, ...selected]);
  const program = { name: userLane.name, deadlineMs: userLane.deadlineMs, command, environment: environmentOf(user) };
  const result = await runCounting(program, { ...options, root: user.copy });
  const left = user.processes();
  if (left.length === 0) return { ...result, count: addCounts(result.count, { passed: 1, failed: 0, skipped: 0 }) };
  const complaint = `left ${left.length} of its processes behind`;
  options.show(`✖ lane ${userLane.name} ${complaint}\n`);
  return { ...result, count: addCounts(result.count, { passed: 0, failed: 1, skipped: 0 }), complaints: [...result.complaints, complaint] };
}
