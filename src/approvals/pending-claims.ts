// How many questions of one user are open at once, over all brokers of a state directory: one file for each, named for the process that asks,
// so that a question whose asker died counts no more, and says whose it was. INVARIANT I-09
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { systemErrorCode } from "../contracts/glovebox-error.ts";
import { type ActionId, actionIdSchema, type ApprovalId, approvalIdSchema, type TaskId, taskIdSchema } from "../contracts/ids.ts";
import { madeOnce } from "../contracts/made-once.ts";
import { processStartTime } from "../kit/process-identity.ts";

export interface PendingClaim {
  release(): Promise<void>;
}

/** Whose question it is. */
export interface ClaimAbout {
  readonly task: TaskId;
  readonly action: ActionId;
}

export interface ClaimLimits {
  readonly maximum: number;
  readonly owner: { readonly pid: number; readonly startTime: string };
  readonly about: ClaimAbout;
}

const claimName = /^(q-[0-9a-f-]+)\.(\d+)\.(\d+)$/u;

async function isAlive(name: string): Promise<boolean> {
  const match = claimName.exec(name);
  return match !== null && (await processStartTime(Number(match[2]))) === match[3];
}

async function writeClaim(file: string, { task, action }: ClaimAbout): Promise<void> {
  await using handle = await open(file, "wx", 0o600);
  await handle.writeFile(JSON.stringify({ task, action }));
}

/**
 * @param directory made 0700 when missing
 * @returns undefined when more than `maximum` would be open. Two that ask at the same moment may both be turned away, never both let in too many.
 */
export async function claimPending(
  directory: string,
  id: ApprovalId,
  { maximum, owner, about }: ClaimLimits,
): Promise<PendingClaim | undefined> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `${id}.${owner.pid}.${owner.startTime}`);
  const release = (): Promise<void> => rm(file, { force: true });
  await writeClaim(file, about);
  const alive = await Promise.all((await readdir(directory)).map(isAlive));
  if (alive.filter(Boolean).length <= maximum) return { release };
  await release();
  return undefined;
}

/** A question whose asker died. */
export interface AbandonedClaim {
  readonly approval: ApprovalId;
  /** Undefined when it died before it wrote it: then it has asked nobody. */
  readonly about: ClaimAbout | undefined;
  readonly forget: () => Promise<void>;
}

const aboutSchema = madeOnce(() => z.strictObject({ task: taskIdSchema, action: actionIdSchema }));

async function readAbout(file: string): Promise<ClaimAbout | undefined> {
  try {
    return aboutSchema().safeParse(JSON.parse(await readFile(file, "utf8"))).data;
  } catch {
    return undefined; // half written, or another reaper took it away
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

export async function abandonedClaims(directory: string): Promise<readonly AbandonedClaim[]> {
  const found: AbandonedClaim[] = [];
  for (const name of await namesIn(directory)) {
    const approval = approvalIdSchema.safeParse(claimName.exec(name)?.[1]).data;
    if (approval === undefined || (await isAlive(name))) continue;
    const file = path.join(directory, name);
    found.push({ approval, about: await readAbout(file), forget: () => rm(file, { force: true }) });
  }
  return found;
}
